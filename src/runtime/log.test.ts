import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Level, Log, type LogFields, type LogOptions, levels, parseLevel } from './log.ts';

/** A logger whose lines are kept, at a fixed time. */
function start(options: LogOptions = {}) {
  const lines: string[] = [];
  const now = () => Date.UTC(2026, 0, 2, 3, 4, 5, 6);
  return { lines, log: Log.create({ sink: (line) => lines.push(line), now, ...options }) };
}

/** The one line that these fields make, read back. */
function written(fields: LogFields, level: Level = 'info') {
  const { lines, log } = start();
  log[level]('Said', fields);
  assert.equal(lines.length, 1);
  const { time, level: _, msg, ...rest } = JSON.parse(lines[0] ?? '');
  assert.deepEqual([time, msg], ['2026-01-02T03:04:05.006Z', 'Said']);
  return rest;
}

test('a line is JSON with time, level, message and fields', () => {
  const { lines, log } = start();
  log.info('Assigned an address', { service: 'default/web', ip: '192.0.2.1', ports: [80, 443] });
  assert.deepEqual(lines, [
    '{"time":"2026-01-02T03:04:05.006Z","level":"info","msg":"Assigned an address",' +
      '"service":"default/web","ip":"192.0.2.1","ports":[80,443]}',
  ]);
});

test('lines below the level are not written; the level can change while running', () => {
  const { lines, log } = start({ level: 'warn' });
  const child = log.child({ part: 'agent' });
  const sayAll = () => {
    for (const level of levels) child[level]('Said');
    return lines.splice(0).map((line) => JSON.parse(line).level);
  };
  assert.deepEqual(sayAll(), ['warn', 'error']);
  child.setLevel('debug');
  assert.equal(log.level, 'debug');
  assert.deepEqual(sayAll(), ['debug', 'info', 'warn', 'error']);
  assert.deepEqual([log.isEnabled('debug'), start().log.isEnabled('debug')], [true, false]);
});

test('children add their fields to those of their parents; the nearest wins', () => {
  const { lines, log } = start();
  const child = log.child({ node: 'n1', part: 'agent' }).child({ part: 'bgp' });
  child.info('Said', { link: 'eth0' });
  child.info('Said', { node: 'n2' });
  log.info('Said');
  const fields = lines
    .map((line) => JSON.parse(line))
    .map(({ node, part, link }) => [node, part, link]);
  assert.deepEqual(fields, [
    ['n1', 'bgp', 'eth0'],
    ['n2', 'bgp', undefined],
    [undefined, undefined, undefined],
  ]);
});

test('fields never replace time, level and message', () => {
  const fields = { time: 1, level: 'loud', msg: 'mine', msg_: 2 };
  assert.deepEqual(written({ time: 1, level: 'loud', msg: 'mine' }), {
    time_: 1,
    level_: 'loud',
    msg_: 'mine',
  });
  assert.equal(Object.keys(written(fields)).length, 3);
});

test('values that JSON does not know are written so that a person can read them', () => {
  class Named {
    readonly name = 'eth0';
    readonly #hidden = 1;
    get hidden() {
      return this.#hidden;
    }
  }
  assert.deepEqual(
    written({
      big: 2n ** 64n,
      not: Number.NaN,
      ever: Infinity,
      gone: undefined,
      none: null,
      list: [undefined, 1n],
      when: new Date(0),
      never: new Date(Number.NaN),
      set: new Set(['a', 'b']),
      map: new Map<unknown, unknown>([
        ['k', 1],
        [2, 'v'],
      ]),
      bytes: Uint8Array.from([0xde, 0xad]),
      url: new URL('http://192.0.2.1:80/x'),
      symbol: Symbol('s'),
      call: start,
      named: new Named(),
    }),
    {
      big: '18446744073709551616',
      not: 'NaN',
      ever: 'Infinity',
      none: null,
      list: [null, '1'],
      when: '1970-01-01T00:00:00.000Z',
      never: null,
      set: ['a', 'b'],
      map: { k: 1, 2: 'v' },
      bytes: 'dead',
      url: 'http://192.0.2.1/x',
      symbol: 'Symbol(s)',
      call: '[function start]',
      named: { name: 'eth0' },
    },
  );
});

test('cycles, depth and size are cut', () => {
  const cyclic: { name: string; self?: unknown } = { name: 'me' };
  cyclic.self = cyclic;
  const shared = { once: 1 };
  const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ inner }), 'core');
  const fields = written({ cyclic, both: [shared, shared], deep });
  assert.deepEqual(fields.cyclic, { name: 'me', self: '[circular]' });
  assert.deepEqual(fields.both, [{ once: 1 }, { once: 1 }]);
  assert.match(JSON.stringify(fields.deep), /"\[too deep\]"/);

  const large = written({
    text: 'x'.repeat(100_000),
    list: Array.from({ length: 1_000 }, (_, index) => index),
    record: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, index])),
  });
  assert.equal(large.text, `${'x'.repeat(8_192)}… 91808 more`);
  assert.deepEqual(large.list.slice(99), [99, '… 900 more']);
  assert.equal(Object.keys(large.record).length, 101);
  assert.equal(large.record['…'], '900 more');
});

test('things that throw when looked at spoil only themselves', () => {
  const trap = {
    ok: 1,
    get bad(): unknown {
      throw new Error('do not look');
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const sulky = { toJSON: () => JSON.parse('{') };
  const fields = written({ trap, revoked: revoked.proxy, sulky, after: 'still here' });
  assert.deepEqual(fields.trap, { ok: 1, bad: '[unreadable: do not look]' });
  assert.match(fields.revoked, /^\[unreadable: .*revoked/);
  assert.match(fields.sulky, /^\[unreadable: .*JSON/);
  assert.equal(fields.after, 'still here');
  assert.deepEqual(written(trap), { ok: 1, bad: '[unreadable: do not look]' });
});

test('an error shows its code, its causes and, at error level, where it was made', () => {
  class KernelError extends Error {
    override readonly name = 'KernelError';
    readonly code = 'EBUSY';
    readonly link = 'eth0';
  }
  const cause = Object.assign(new Error('deeper'), { code: 'ENOENT', errno: -2 });
  const error = new KernelError('could not add', { cause: new TypeError('middle', { cause }) });
  const expected = {
    name: 'KernelError',
    message: 'could not add',
    code: 'EBUSY',
    link: 'eth0',
    cause: {
      name: 'TypeError',
      message: 'middle',
      cause: { name: 'Error', message: 'deeper', code: 'ENOENT', errno: -2 },
    },
  };
  assert.deepEqual(written({ error }, 'warn'), { error: expected });

  const { error: atError } = written({ error }, 'error');
  assert.match(atError.stack, /^KernelError: could not add\n {4}at .*log\.test\.ts/);
  assert.match(atError.cause.cause.stack, /deeper\n {4}at /);
});

test('an error of many shows each, and one that causes itself ends', () => {
  const loop: Error = new Error('loop');
  loop.cause = loop;
  const error = new AggregateError([new Error('one'), 'two', loop], 'several');
  assert.deepEqual(written({ error }), {
    error: {
      name: 'AggregateError',
      message: 'several',
      errors: [
        { name: 'Error', message: 'one' },
        'two',
        { name: 'Error', message: 'loop', cause: '[circular]' },
      ],
    },
  });
});

test('secrets are masked wherever and however they are spelt', () => {
  const { lines, log } = start({ redact: ['pin-code'] });
  log.child({ token: 'abc123' }).info('Said', {
    headers: { Authorization: 'Bearer abc123', accept: 'text/plain', 'set-cookie': ['abc123'] },
    bearerToken: 'abc123',
    API_KEY: 'abc123',
    peers: [{ name: 'router1', password: 'abc123' }],
    map: new Map([['client_secret', 'abc123']]),
    error: Object.assign(new Error('refused'), { accessToken: 'abc123' }),
    pinCode: 'abc123',
    tokenCount: 3,
    secretName: 'bgp-auth',
  });
  assert.doesNotMatch(lines[0] ?? '', /abc123/);
  const { time, level, msg, ...fields } = JSON.parse(lines[0] ?? '');
  assert.deepEqual(fields, {
    token: '[redacted]',
    headers: { Authorization: '[redacted]', accept: 'text/plain', 'set-cookie': '[redacted]' },
    bearerToken: '[redacted]',
    API_KEY: '[redacted]',
    peers: [{ name: 'router1', password: '[redacted]' }],
    map: { client_secret: '[redacted]' },
    error: { name: 'Error', message: 'refused', accessToken: '[redacted]' },
    pinCode: '[redacted]',
    tokenCount: 3,
    secretName: 'bgp-auth',
  });
});

test('no text can break a line or reach a terminal as a command', () => {
  const hostile = 'a\r\n{"level":"error"}\u001b[2J\u009b2J\u0085\u2028\u2029\u007f\ud800"\\';
  const { lines, log } = start();
  log.info(hostile, { [hostile]: hostile });
  const line = lines[0] ?? '';
  assert.match(line, /^[\x20-\x7e]+$/);
  const { time, level, msg, ...fields } = JSON.parse(line);
  assert.deepEqual([level, msg, fields], ['info', hostile, { [hostile]: hostile }]);
});

test('whatever is logged makes one line of JSON', () => {
  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
  });
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.dictionary(fc.string(), anything),
      (msg, fields) => {
        const { lines, log } = start({ level: 'debug' });
        log.error(msg, fields);
        assert.equal(lines.length, 1);
        assert.doesNotMatch(lines[0] ?? '', /[\n\r\u2028\u2029\u0085]/);
        assert.equal(JSON.parse(lines[0] ?? '').msg, msg);
      },
    ),
    { numRuns: 500 },
  );
});

test('a level from outside is read in any case, and is info if unknown', () => {
  const texts = ['debug', 'DEBUG', 'Warn', 'error', 'info', '', ' debug', 'verbose', undefined];
  assert.deepEqual(texts.map(parseLevel), [
    'debug',
    'debug',
    'warn',
    'error',
    'info',
    'info',
    'info',
    'info',
    'info',
  ]);
});
