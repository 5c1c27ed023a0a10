import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NetlinkError } from './netlink-error.ts';

test('says what was asked, the kernel’s words and the errno', () => {
  const error = NetlinkError.fromErrno('create link kube-lb0', 95, 'Unknown device type');
  assert.deepEqual(
    [error.code, error.operation, error.errno, error.message],
    [
      'NETLINK_REFUSED',
      'create link kube-lb0',
      95,
      'create link kube-lb0: Unknown device type (EOPNOTSUPP)',
    ],
  );
});

test('without words the errno stands alone', () => {
  assert.equal(NetlinkError.fromErrno('read link', 19).message, 'read link: ENODEV');
});

test('keeps its cause', () => {
  const cause = new Error('odd');
  const error = new NetlinkError('NETLINK_UNANSWERED', 'read', {
    message: 'cannot be read',
    cause,
  });
  assert.equal(error.cause, cause);
});
