import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './cursor.ts';
import { isProblem, must } from './parsed.ts';
import { noRanges, readClusterSource, readFlatSource } from './read-cluster-source.ts';

const readLocal = (spec: unknown) => read(spec, (cursor) => readClusterSource(cursor, 'local'));
const entry = (last: number) => ({ pool: `192.0.2.${last}/32`, subnet: '192.0.2.0/24' });
const entry6 = (last: number) => ({ pool: `2001:db8::${last}/128`, subnet: '2001:db8::/64' });

function problemsOf(spec: unknown): readonly string[] {
  const reading = readLocal(spec);
  return isProblem(reading)
    ? reading.problems.map(({ path, message }) => `${path}: ${message}`)
    : [];
}

test('ranges keep their order: lists before single ones, IPv4 before IPv6', () => {
  const spec = {
    v6pool: entry6(1),
    v6pools: [entry6(2)],
    v4pool: entry(1),
    v4pools: [entry(3), entry(2)],
  };
  assert.deepEqual(
    must(readLocal(spec)).ranges.map(({ text }) => text),
    ['192.0.2.3/32', '192.0.2.2/32', '192.0.2.1/32', '2001:db8::2/128', '2001:db8::1/128'],
  );
});

test("v1's form of one range stands beside ranges of the other family", () => {
  const { ranges } = must(readLocal({ ...entry(1), aggregation: '/32', v6pool: entry6(1) }));
  assert.deepEqual(
    ranges.map(({ text, prefixLength }) => [text, prefixLength]),
    [
      ['192.0.2.1/32', 32],
      ['2001:db8::1/128', 64],
    ],
  );
  assert.deepEqual(problemsOf({ ...entry(1), v4pool: entry(2) }), [
    ": subnet and pool are v1's form of one range: move them into v4pool",
  ]);
});

test("v1's form left empty is none", () => {
  const empty = { pool: '', subnet: '', aggregation: '' };
  assert.equal(must(readLocal({ ...empty, v4pool: entry(1) })).ranges.length, 1);
  assert.deepEqual(problemsOf(empty), [': give at least one range in v4pools or v6pools']);
});

test('a remote group has no such form', () => {
  const reading = read(entry(1), (cursor) => readClusterSource(cursor, 'remote'));
  assert.ok(isProblem(reading));
});

test('options are off unless asked for', () => {
  const plain = must(readLocal({ v4pool: entry(1) }));
  assert.deepEqual(plain, { ...noRanges, ranges: plain.ranges });
  const asked = {
    multiPool: true,
    avoidEdges: true,
    releaseCooldown: '5m',
    reserveFor: '24h',
    v4pool: entry(1),
  };
  assert.deepEqual(must(readLocal(asked)), {
    ...plain,
    usesMultiPool: true,
    avoidsEdges: true,
    releaseCooldownMs: 300_000,
    reserveMs: 86_400_000,
  });
});

test('no address may be in two ranges', () => {
  assert.deepEqual(
    problemsOf({ v4pools: [entry(1), { ...entry(1), pool: '192.0.2.0/28' }, entry(99)] }),
    ['v4pools[1]: overlaps v4pools[0]: no address may be in two ranges'],
  );
});

test('what makes no sense is refused', () => {
  const none = 'give at least one range in v4pools or v6pools';
  const rows: readonly (readonly [spec: unknown, ...problems: string[]])[] = [
    [{}, `: ${none}`],
    [{ v4pools: [] }, `: ${none}`],
    [{ v4pools: [null] }, `: ${none}`],
    [
      { v4pool: entry(1), multiPool: true, balancePools: true },
      ': multiPool and balancePools are mutually exclusive: choose one',
    ],
    [
      { v4pool: entry(1), releaseCooldown: '25h', reserveFor: 'always' },
      'releaseCooldown: 25h is out of bounds: write 0s to 24h',
      'reserveFor: "always" is not a duration: write it like 100ms, 30s or 1m30s',
    ],
  ];
  for (const [spec, ...problems] of rows) assert.deepEqual(problemsOf(spec), problems);
});

test('the flat form is one range and nothing else', () => {
  const source = must(read({ ...entry(1), name: 'x', aggregation: 'default' }, readFlatSource));
  assert.deepEqual(
    source.ranges.map(({ text }) => text),
    ['192.0.2.1/32'],
  );
});
