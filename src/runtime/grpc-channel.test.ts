import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { GrpcChannel, type GrpcMethod } from './grpc-channel.ts';
import { GrpcError, grpcStatus } from './grpc-error.ts';
import { answerWith, endWith, GrpcServerFixture } from './grpc-server.fixture.ts';
import { ManualClock } from './manual-clock.ts';
import { type InputOf, message, string, type ValueOf } from './protobuf.ts';
import { SystemClock } from './system-clock.ts';

const word = message({ text: string(1) });
type Word = ValueOf<typeof word>;
const say: GrpcMethod<InputOf<typeof word>, Word> = {
  path: '/test.Echo/Say',
  request: word,
  answer: word,
};

let server = new GrpcServerFixture();
let channel = new GrpcChannel({ target: server.target, clock: new SystemClock() });
beforeEach(() => {
  server = new GrpcServerFixture();
  channel = new GrpcChannel({ target: server.target, clock: new SystemClock() });
});
afterEach(async () => {
  channel.close();
  await server.remove();
});

const failsWith = (status: number, text: RegExp) => (error: unknown) =>
  error instanceof GrpcError && error.status === status && text.test(error.message);

async function collect(stream: AsyncIterable<Word>): Promise<readonly string[]> {
  const texts: string[] = [];
  for await (const { text } of stream) texts.push(text);
  return texts;
}

test('a call goes to its path and brings the answer', async () => {
  const paths: string[] = [];
  await server.start((call) => {
    paths.push(call.path);
    answerWith(call, ...call.messages);
  });
  assert.deepEqual(await channel.call(say, { text: 'hello' }), { text: 'hello' });
  assert.deepEqual(paths, ['/test.Echo/Say']);
});

test('many requests go in one call, many answers come in one', async () => {
  await server.start((call) => answerWith(call, ...call.messages, word.encode({ text: 'end' })));
  assert.deepEqual(await channel.send(say, [{ text: 'a' }, { text: 'b' }]), { text: 'a' });
  assert.deepEqual(await collect(channel.stream(say, { text: 'a' })), ['a', 'end']);
});

test('a message of a megabyte comes through whole', async () => {
  await server.start((call) => answerWith(call, ...call.messages));
  const text = 'x'.repeat(1 << 19);
  assert.equal((await channel.call(say, { text })).text, text);
});

test("the server's refusal is thrown with its status and its words", async () => {
  await server.start((call) => endWith(call, { 'grpc-status': '2', 'grpc-message': 'no%3A peer' }));
  await assert.rejects(channel.call(say, {}), failsWith(grpcStatus.unknown, /^no: peer$/));
});

test('a refusal without any message, in the headers, is understood', async () => {
  await server.start(({ stream }) =>
    stream.respond({ ':status': 200, 'grpc-status': '12' }, { endStream: true }),
  );
  await assert.rejects(channel.call(say, {}), failsWith(grpcStatus.unimplemented, /^$/));
});

test('something that is no gRPC is unavailable', async () => {
  await server.start(({ stream }) => stream.respond({ ':status': 404 }, { endStream: true }));
  await assert.rejects(channel.call(say, {}), failsWith(grpcStatus.unavailable, /404/));
});

test('without a server calls fail at once, and work when it is there', async () => {
  await assert.rejects(channel.call(say, {}), failsWith(grpcStatus.unavailable, /ENOENT/));
  await server.start((call) => answerWith(call, ...call.messages));
  assert.deepEqual(await channel.call(say, { text: 'now' }), { text: 'now' });
});

test('a server that dies ends open streams; its successor is found by the next call', async () => {
  await server.start(({ stream }) => {
    stream.respond({ ':status': 200 });
    stream.write(Uint8Array.of(0, 0, 0, 0, 3, 0x0a, 1, 0x61));
  });
  const stream = channel.stream(say, {});
  assert.deepEqual(await stream.next(), { done: false, value: { text: 'a' } });
  await server.stop();
  await assert.rejects(stream.next(), failsWith(grpcStatus.unavailable, /./));
  await server.start((call) => answerWith(call, ...call.messages));
  assert.deepEqual(await channel.call(say, { text: 'again' }), { text: 'again' });
});

test('a server that does not answer is given up on at the deadline', async () => {
  const clock = new ManualClock();
  const slow = new GrpcChannel({ target: server.target, clock });
  const asked = new Promise<void>((resolve) => void server.start(() => resolve()));
  const outcome = assert.rejects(
    slow.call(say, {}, { withinMs: 100 }),
    failsWith(grpcStatus.deadlineExceeded, /within 100 ms/),
  );
  await asked;
  await clock.advance(100);
  await outcome;
  slow.close();
});

test('a stream ends with the reason of its signal', async () => {
  await server.start(({ stream }) => stream.respond({ ':status': 200 }));
  const controller = new AbortController();
  const stream = channel.stream(say, {}, { signal: controller.signal });
  const next = stream.next();
  controller.abort(new Error('enough'));
  await assert.rejects(next, /enough/);
  await assert.rejects(channel.stream(say, {}, { signal: controller.signal }).next(), /enough/);
});

test('whoever stops listening to a stream cancels it', async () => {
  const isCancelled = new Promise<void>((resolve) => {
    void server.start(({ stream }) => {
      stream.on('close', () => resolve());
      stream.respond({ ':status': 200 });
      stream.write(Uint8Array.of(0, 0, 0, 0, 0));
    });
  });
  for await (const _ of channel.stream(say, {})) break;
  await isCancelled;
});

test('answers that are compressed, too long, cut or no message are errors', async () => {
  const bodies = {
    compressed: Uint8Array.of(1, 0, 0, 0, 0),
    'too long': Uint8Array.of(0, 0x7f, 0, 0, 0),
    'ends in a message': Uint8Array.of(0, 0, 0, 0, 9, 1),
    'cannot be read': Uint8Array.of(0, 0, 0, 0, 1, 0xff),
    'no message': new Uint8Array(),
  };
  let sent: Uint8Array = new Uint8Array();
  await server.start(({ stream }) => {
    stream.respond({ ':status': 200 }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(sent);
  });
  for (const [words, body] of Object.entries(bodies)) {
    sent = body;
    await assert.rejects(channel.call(say, {}), (error) => {
      assert.ok(error instanceof GrpcError && error.message.includes(words), `${words}: ${error}`);
      return true;
    });
  }
});
