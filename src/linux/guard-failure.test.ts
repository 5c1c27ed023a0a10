import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstQuestion, judgeGuardError } from './guard-failure.ts';
import { errno } from './libc.ts';
import { NetlinkError } from './netlink-error.ts';
import { openingSocket } from './netlink-socket.ts';

const judge = (operation: string, number: number) =>
  judgeGuardError(NetlinkError.fromErrno(operation, number));

test('a kernel without nf_tables says so when it is first asked, or has no such socket', () => {
  assert.deepEqual(judge(firstQuestion, errno.EINVAL), {
    kind: 'failed',
    code: 'Unsupported',
    words: 'this kernel has no nf_tables (ask nf_tables: EINVAL)',
  });
  const { code } = judge(openingSocket, errno.EPROTONOSUPPORT);
  assert.equal(code, 'Unsupported');
});

test('a kernel that was built without an expression lacks a part', () => {
  assert.deepEqual(judge('change the guard', errno.ENOENT), {
    kind: 'failed',
    code: 'Unsupported',
    words: 'this kernel lacks a part of nf_tables (change the guard: ENOENT)',
  });
});

test('a refusal is told in the kernel’s words', () => {
  for (const operation of [firstQuestion, 'change the guard']) {
    assert.deepEqual(judge(operation, errno.EPERM), {
      kind: 'failed',
      code: 'Refused',
      words: `${operation}: EPERM`,
    });
  }
  assert.equal(judge('change the guard', errno.EINVAL).code, 'Refused');
});

test('silence is unknown', () => {
  const silence = new NetlinkError('NETLINK_UNANSWERED', 'change the guard', { message: 'none' });
  assert.equal(judgeGuardError(silence).code, 'Unknown');
});
