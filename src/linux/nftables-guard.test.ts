import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GuardRules, noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { type NetlinkMessage, NLM_F_ACK, NLM_F_DUMP } from '../wire/netlink-message.ts';
import { putNumber } from '../wire/nftables/nft-attributes.ts';
import { NftMessage, putNftHeader } from '../wire/nftables/nft-message.ts';
import { errno } from './libc.ts';
import { NetlinkError } from './netlink-error.ts';
import { openingSocket } from './netlink-socket.ts';
import { NftablesGuard } from './nftables-guard.ts';
import {
  type Delivery,
  datagram,
  done,
  ScriptedSocket,
  status,
} from './scripted-socket.fixture.ts';

const rules: GuardRules = { addresses: [ipOf('192.0.2.100')], openings: [] };

/** A kernel that has no table of ours; `answer` gives an errno for a message, 0 is success. */
function open(answer: (message: NetlinkMessage) => number) {
  let generation = 1;
  const reply = (message: NetlinkMessage): readonly Delivery[] => {
    const { type, sequence, flags } = message;
    const failure = answer(message);
    if (failure !== 0) return [datagram(status(sequence, failure))];
    if (type === NftMessage.getGeneration) {
      const body = putNftHeader(new ByteWriter(), 0);
      putNumber(body, 1, generation);
      return [datagram({ type: 0xa0f, sequence, body: body.finish() }), datagram(status(sequence))];
    }
    if ((flags & NLM_F_DUMP) === NLM_F_DUMP && type !== NftMessage.newRule)
      return [datagram(done(sequence))];
    return (flags & NLM_F_ACK) === 0 ? [] : [datagram(status(sequence))];
  };
  const socket = new ScriptedSocket((messages) => {
    const replies = messages.flatMap(reply);
    if (messages.length > 1) generation++;
    return replies;
  });
  return { socket, guard: new NftablesGuard(() => socket) };
}

const lacksTable = ({ type }: NetlinkMessage) => (type === NftMessage.getTable ? errno.ENOENT : 0);

/** How many messages each datagram had that changes something. */
const transactions = ({ sent }: ScriptedSocket) =>
  sent.filter(({ length }) => length > 1).map(({ length }) => length);

test('everything is made in one datagram, and known from then on', async () => {
  const { guard, socket } = open(lacksTable);
  assert.deepEqual(await guard.apply(rules), { kind: 'changed' });
  assert.deepEqual(await guard.apply(rules), { kind: 'unchanged' });
  assert.deepEqual(transactions(socket), [19]);
});

test('a kernel without nf_tables can put up no guard, and has none to take down', async () => {
  const { guard } = open(() => errno.EINVAL);
  assert.deepEqual(await guard.apply(rules), {
    kind: 'failed',
    code: 'Unsupported',
    words: 'this kernel has no nf_tables (ask nf_tables: EINVAL)',
  });
  assert.deepEqual(await guard.apply(noGuard), { kind: 'unchanged' });
});

test('a kernel without its socket has none either', async () => {
  const guard = new NftablesGuard(() => {
    throw NetlinkError.fromErrno(openingSocket, errno.EPROTONOSUPPORT);
  });
  const outcome = await guard.apply(rules);
  assert.deepEqual('code' in outcome && outcome.code, 'Unsupported');
  assert.deepEqual(await guard.apply(noGuard), { kind: 'unchanged' });
});

test('without the capability it is refused, to take down as well', async () => {
  const { guard } = open(() => errno.EPERM);
  const refused = { kind: 'failed', code: 'Refused', words: 'ask nf_tables: EPERM' };
  assert.deepEqual(await guard.apply(rules), refused);
  assert.deepEqual(await guard.apply(noGuard), refused);
});

test('keys that cannot be changed, since the table just went, are set in a new one', async () => {
  let isGone = false;
  const { guard, socket } = open((message) => {
    const isKeys = message.type === NftMessage.deleteElements;
    return isGone && isKeys ? errno.ENOENT : lacksTable(message);
  });
  await guard.apply(rules);
  isGone = true;
  assert.deepEqual(await guard.apply({ addresses: [ipOf('192.0.2.101')], openings: [] }), {
    kind: 'changed',
  });
  assert.deepEqual(transactions(socket), [19, 4, 21]);
});

test('a refused table is tried once more as a whole, then told', async () => {
  const { guard, socket } = open((message) => {
    return message.type === NftMessage.newRule ? errno.ENOENT : lacksTable(message);
  });
  assert.deepEqual(await guard.apply(rules), {
    kind: 'failed',
    code: 'Unsupported',
    words: 'this kernel lacks a part of nf_tables (change the guard: ENOENT)',
  });
  assert.deepEqual(transactions(socket), [19, 21]);
});
