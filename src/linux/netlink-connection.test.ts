import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type NetlinkMessage,
  NLM_F_ACK,
  NLM_F_DUMP,
  NLM_F_DUMP_INTR,
  NLM_F_REQUEST,
  NLMSG_OVERRUN,
} from '../wire/netlink-message.ts';
import { errno } from './libc.ts';
import { NetlinkConnection, type NetlinkRequest } from './netlink-connection.ts';
import {
  type Delivery,
  datagram,
  done,
  ScriptedSocket,
  status,
} from './scripted-socket.fixture.ts';

const type = 20;
const forgetful = { code: 'NETLINK_UNANSWERED' };

/** A request whose one byte says how the scripted kernel shall answer it: an errno, 0 for success. */
function request(answer = 0): NetlinkRequest {
  return { type, encodeBody: () => Uint8Array.of(answer) };
}

const answerOf = (message: NetlinkMessage) => message.body[0] ?? 0;

/** As the kernel does: failures always answered, success only where an acknowledgement was asked for. */
function kernel(messages: readonly NetlinkMessage[]): readonly Delivery[] {
  return messages
    .filter((message) => answerOf(message) !== 0 || (message.flags & NLM_F_ACK) !== 0)
    .map((message) => datagram(status(message.sequence, answerOf(message))));
}

function open(peer: (messages: readonly NetlinkMessage[]) => readonly Delivery[] | number) {
  let now = 0;
  const socket = new ScriptedSocket(peer);
  const connection = new NetlinkConnection(socket, () => now);
  return { socket, connection, pass: (millis: number) => (now += millis) };
}

const firstByte = (body: Uint8Array) => body[0];
const entry = (sequence: number, value: number, flags = 0) => ({
  type,
  sequence,
  flags,
  body: Uint8Array.of(value),
});
const sequenceOf = (messages: readonly NetlinkMessage[]) => messages[0]?.sequence ?? 0;

test('failures are reported by the request they belong to, and later requests are still sent', async () => {
  const { connection } = open(kernel);
  const requests = Array.from({ length: 150 }, (_, index) => request(index % 50 === 7 ? 17 : 0));
  assert.deepEqual(
    await connection.execute(requests),
    [7, 57, 107].map((index) => ({ index, errno: 17, isAnswered: true })),
  );
});

test('a failing last request is reported once', async () => {
  const { connection } = open(kernel);
  assert.deepEqual(await connection.execute([request(), request(19)]), [
    { index: 1, errno: 19, isAnswered: true },
  ]);
});

test('only the last of a batch asks for an acknowledgement, and no batch exceeds 64', async () => {
  const { connection, socket } = open(kernel);
  await connection.execute(Array.from({ length: 300 }, () => request()));
  for (const batch of socket.sent) {
    const acknowledged = batch.map(({ flags }) => (flags & NLM_F_ACK) !== 0);
    assert.deepEqual(
      acknowledged,
      batch.map((_, index) => index === batch.length - 1),
    );
    assert.ok(batch.length <= 64);
  }
  assert.deepEqual(
    socket.sent.flat().map(({ sequence }) => sequence),
    Array.from({ length: 300 }, (_, index) => index),
  );
});

test('a slow kernel gets smaller batches, and others their turn in between', async () => {
  const { connection, socket, pass } = open((messages) => {
    pass(messages.length * 0.5);
    return kernel(messages);
  });
  let turns = 0;
  const count = () => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  await connection.execute(Array.from({ length: 100 }, () => request()));
  clearImmediate(immediate);
  assert.deepEqual(
    socket.sent.slice(0, 4).map((batch) => batch.length),
    [16, 10, 10, 10],
  );
  assert.ok(turns >= 8, `${turns} turns`);
});

test('nothing to do sends nothing', async () => {
  const { connection, socket } = open(kernel);
  assert.deepEqual(await connection.execute([]), []);
  assert.deepEqual(socket.sent, []);
});

const losses: readonly (readonly [string, Delivery, number])[] = [
  ['the receive buffer overflowed', errno.ENOBUFS, errno.ENOBUFS],
  ['nothing came', errno.EAGAIN, errno.EAGAIN],
  ['the answer was cut off', new Uint8Array(70_000), errno.EMSGSIZE],
  ['the answer is noise', Uint8Array.of(1, 2, 3), errno.EBADMSG],
  ['the answer’s inside is noise', datagram({ type: 2, sequence: 2 }), errno.EBADMSG],
];

for (const [name, delivery, number] of losses) {
  test(`when ${name}, what was not refused is unknown, never a success`, async () => {
    const { connection } = open((messages) => [...kernel(messages).slice(0, 1), delivery]);
    assert.deepEqual(await connection.execute([request(), request(17), request()]), [
      { index: 0, errno: number, isAnswered: false },
      { index: 1, errno: 17, isAnswered: true },
      { index: 2, errno: number, isAnswered: false },
    ]);
  });
}

test('a late answer to an earlier request is not taken for a new one’s', async () => {
  const { connection, socket } = open((messages) =>
    socket.sent.length === 1 ? [] : kernel(messages),
  );
  await connection.execute([request()]);
  socket.queue.push(datagram(status(0, 17)), datagram(entry(0, 9)));
  assert.deepEqual(await connection.execute([request()]), []);
});

test('a datagram that cannot be sent fails all that was in it', async () => {
  const { connection } = open(() => errno.EMSGSIZE);
  assert.deepEqual(await connection.execute([request(), request()]), [
    { index: 0, errno: errno.EMSGSIZE, isAnswered: true },
    { index: 1, errno: errno.EMSGSIZE, isAnswered: true },
  ]);
});

test('an interrupted system call is simply repeated', async () => {
  const { connection } = open((messages) => [errno.EINTR, ...kernel(messages)]);
  assert.deepEqual(await connection.execute([request()]), []);
});

test('asking gives the one answer', async () => {
  const { connection } = open((messages) => [
    datagram(entry(sequenceOf(messages), 42)),
    ...kernel(messages),
  ]);
  assert.equal(await connection.ask('read link', request(), firstByte), 42);
});

test('asking for what does not exist throws the kernel’s errno', async () => {
  const { connection } = open(kernel);
  await assert.rejects(connection.ask('read link', request(19), firstByte), {
    name: 'NetlinkError',
    code: 'NETLINK_REFUSED',
    errno: 19,
    message: 'read link: ENODEV',
  });
});

test('asking without getting an answer throws', async () => {
  await assert.rejects(open(() => []).connection.ask('read link', request(), firstByte), {
    ...forgetful,
    message: 'read link: no answer from the kernel (EAGAIN)',
  });
  await assert.rejects(open(kernel).connection.ask('read link', request(), firstByte), forgetful);
});

test('a dump collects all parts', async () => {
  const { connection, socket } = open((messages) => {
    const sequence = sequenceOf(messages);
    return [
      datagram(entry(sequence, 1), entry(sequence, 2)),
      datagram(entry(sequence + 1, 9)),
      datagram(entry(sequence, 3)),
      datagram(done(sequence)),
    ];
  });
  assert.deepEqual(await connection.dump('read', request(), firstByte), [1, 2, 3]);
  assert.equal(socket.sent[0]?.[0]?.flags, NLM_F_REQUEST | NLM_F_DUMP);
});

test('what the decoder does not want is left out', async () => {
  const { connection } = open((messages) => {
    const sequence = sequenceOf(messages);
    return [datagram(entry(sequence, 1), entry(sequence, 2), done(sequence))];
  });
  const even = (body: Uint8Array) => ((body[0] ?? 0) % 2 === 0 ? body[0] : undefined);
  assert.deepEqual(await connection.dump('read', request(), even), [2]);
});

for (const where of ['an entry', 'the end'] as const) {
  test(`a dump with the interruption mark on ${where} is repeated until it is whole`, async () => {
    let attempt = 0;
    const { connection } = open((messages) => {
      const sequence = sequenceOf(messages);
      attempt += 1;
      const mark = attempt < 3 ? NLM_F_DUMP_INTR : 0;
      const [onEntry, onEnd] = where === 'an entry' ? [mark, 0] : [0, mark];
      return [datagram(entry(sequence, attempt, onEntry)), datagram(done(sequence, onEnd))];
    });
    assert.deepEqual(await connection.dump('read addresses', request(), firstByte), [3]);
  });
}

test('a dump that never comes through whole is an error, not a part', async () => {
  const { connection, socket } = open((messages) => {
    const sequence = sequenceOf(messages);
    return [datagram(entry(sequence, 1, NLM_F_DUMP_INTR), done(sequence))];
  });
  await assert.rejects(connection.dump('read addresses', request(), firstByte), {
    code: 'NETLINK_INTERRUPTED',
    message: 'read addresses: changed under way in each of 16 tries',
  });
  assert.equal(socket.sent.length, 16);
});

const brokenDumps: readonly (readonly [string, (sequence: number) => Delivery, object])[] = [
  ['is refused', (sequence) => datagram(status(sequence, 22)), { errno: 22 }],
  [
    'ends with an error',
    (sequence) => datagram({ ...done(sequence), body: Uint8Array.of(0xf0, 255, 255, 255) }),
    { errno: 16 },
  ],
  ['stops', () => errno.EAGAIN, forgetful],
  ['loses parts', () => errno.ENOBUFS, forgetful],
  ['is cut off', () => new Uint8Array(70_000), forgetful],
  ['overruns', (sequence) => datagram({ type: NLMSG_OVERRUN, sequence }), forgetful],
  [
    'ends in noise',
    (sequence) => datagram({ ...done(sequence), body: new Uint8Array() }),
    forgetful,
  ],
];

for (const [name, delivery, expected] of brokenDumps) {
  test(`a dump that ${name} throws, and leaves nothing behind for the next`, async () => {
    const { connection, socket } = open((messages) => {
      const sequence = sequenceOf(messages);
      if (socket.sent.length > 1) return [datagram(entry(sequence, 5), done(sequence))];
      return [datagram(entry(sequence, 1)), delivery(sequence), datagram(entry(sequence, 2))];
    });
    await assert.rejects(connection.dump('read', request(), firstByte), expected);
    assert.deepEqual(socket.queue, []);
    assert.deepEqual(await connection.dump('read', request(), firstByte), [5]);
  });
}

test('a dump that cannot be asked for throws', async () => {
  const { connection } = open(() => errno.ENOBUFS);
  await assert.rejects(connection.dump('read', request(), firstByte), { errno: errno.ENOBUFS });
});

test('an entry that cannot be decoded fails the dump with its cause', async () => {
  const cause = new Error('odd');
  const { connection } = open((messages) => {
    const sequence = sequenceOf(messages);
    return [datagram(entry(sequence, 1), done(sequence))];
  });
  const decode = () => {
    throw cause;
  };
  await assert.rejects(connection.dump('read', request(), decode), { ...forgetful, cause });
});

test('a large dump gives others their turn', async () => {
  const { connection, pass } = open((messages) => {
    const sequence = sequenceOf(messages);
    const parts = Array.from({ length: 640 }, (_, index) => datagram(entry(sequence, index)));
    return [...parts, datagram(done(sequence))];
  });
  let turns = 0;
  const count = () => {
    turns += 1;
    immediate = setImmediate(count);
  };
  let immediate = setImmediate(count);
  const values = await connection.dump('read', request(), (body) => {
    pass(6);
    return body[0];
  });
  clearImmediate(immediate);
  assert.equal(values.length, 640);
  assert.ok(turns >= 9, `${turns} turns`);
});

test('requests given while others are under way wait for them', async () => {
  const { connection, socket } = open((messages) => {
    const sequence = sequenceOf(messages);
    if ((messages[0]?.flags ?? 0) & NLM_F_ACK) return kernel(messages);
    return [datagram(entry(sequence, 1)), datagram(done(sequence))];
  });
  const [values, failures] = await Promise.all([
    connection.dump('read', request(), firstByte),
    connection.execute([request()]),
  ]);
  assert.deepEqual([values, failures, socket.sent.length], [[1], [], 2]);
});

test('a closed connection refuses everything', async () => {
  const { connection, socket } = open(kernel);
  connection.close();
  assert.equal(socket.isClosed, true);
  await assert.rejects(connection.execute([request()]), { code: 'NETLINK_CLOSED' });
  await assert.rejects(connection.dump('read', request(), firstByte), { code: 'NETLINK_CLOSED' });
});

function transaction(...answers: readonly number[]) {
  return { begin: request(), requests: answers.map((answer) => request(answer)), end: request() };
}

test('a transaction is one datagram between its marks, acknowledged by its last request', async () => {
  const { connection, socket } = open(kernel);
  await connection.transact('change rules', transaction(...Array(200).fill(0)));
  assert.deepEqual(
    socket.sent.map((messages) => messages.map(({ flags }) => (flags & NLM_F_ACK) !== 0)),
    [Array.from({ length: 202 }, (_, index) => index === 200)],
  );
});

test('a transaction fails with the first thing that the kernel objects to', async () => {
  const { connection } = open(kernel);
  await assert.rejects(connection.transact('change rules', transaction(0, 2, 17)), {
    code: 'NETLINK_REFUSED',
    errno: 2,
    message: 'change rules: ENOENT',
  });
});

test('a transaction that is refused as a whole is answered at its first mark', async () => {
  const { connection } = open((messages) => [
    datagram(status(sequenceOf(messages), errno.EOPNOTSUPP)),
  ]);
  await assert.rejects(connection.transact('change rules', transaction(0)), {
    code: 'NETLINK_REFUSED',
    errno: errno.EOPNOTSUPP,
  });
});

test('whether a transaction without an answer was carried out is unknown', async () => {
  const { connection } = open(() => []);
  await assert.rejects(connection.transact('change rules', transaction(0)), forgetful);
});
