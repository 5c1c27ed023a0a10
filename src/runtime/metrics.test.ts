import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { exponentialBuckets } from './metric.ts';
import { Metrics } from './metrics.ts';

function create(): Metrics {
  return new Metrics((metric, error) => assert.fail(`${metric}: ${String(error)}`));
}

function check(metrics: Metrics, ...lines: string[]): void {
  assert.equal(metrics.render(), lines.map((line) => `${line}\n`).join(''));
}

test('counters and gauges without labels start at 0', () => {
  const metrics = create();
  const counter = metrics.counter({ name: 'wins_total', help: 'Elections won.' });
  const gauge = metrics.gauge({ name: 'members', help: 'Live nodes.' });
  const lines = (members: string, wins: string) => [
    '# HELP members Live nodes.',
    '# TYPE members gauge',
    `members ${members}`,
    '# HELP wins_total Elections won.',
    '# TYPE wins_total counter',
    `wins_total ${wins}`,
  ];
  check(metrics, ...lines('0', '0'));
  counter.add();
  counter.add(2.5);
  gauge.set(7);
  gauge.add(-2);
  assert.deepEqual([counter.value, gauge.value], [3.5, 5]);
  check(metrics, ...lines('5', '3.5'));
});

test('a counter only grows', () => {
  const counter = create().counter({ name: 'a_total', help: 'A.' });
  assert.throws(() => counter.add(-1), /cannot add -1/);
  assert.throws(() => counter.add(Number.NaN), /cannot add NaN/);
});

test('series come sorted, whatever the order in which they were first seen', () => {
  const metrics = create();
  const rejected = metrics.counters({
    name: 'rejected_total',
    help: 'Rejections.',
    labels: ['pool', 'reason'],
  });
  rejected.with({ reason: 'exhausted', pool: 'b' }).add(2);
  rejected.with({ pool: 'a', reason: 'port_conflict' }).add();
  rejected.with({ pool: 'a', reason: 'exhausted' }).add();
  rejected.with({ pool: 'b', reason: 'exhausted' }).add();
  const header = ['# HELP rejected_total Rejections.', '# TYPE rejected_total counter'];
  check(
    metrics,
    ...header,
    'rejected_total{pool="a",reason="exhausted"} 1',
    'rejected_total{pool="a",reason="port_conflict"} 1',
    'rejected_total{pool="b",reason="exhausted"} 3',
  );
  rejected.with({ pool: 'c', reason: 'x' });
  assert.match(metrics.render(), /pool="c",reason="x"\} 0\n$/);
  rejected.remove({ pool: 'a', reason: 'exhausted' });
  check(
    metrics,
    ...header,
    'rejected_total{pool="a",reason="port_conflict"} 1',
    'rejected_total{pool="b",reason="exhausted"} 3',
    'rejected_total{pool="c",reason="x"} 0',
  );
  rejected.clear();
  check(metrics, ...header);
});

test('a histogram counts into cumulative buckets', () => {
  const metrics = create();
  const histogram = metrics.histogram({ name: 'run_seconds', help: 'Runs.', buckets: [0.1, 1] });
  for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value);
  check(
    metrics,
    '# HELP run_seconds Runs.',
    '# TYPE run_seconds histogram',
    'run_seconds_bucket{le="0.1"} 2',
    'run_seconds_bucket{le="1"} 3',
    'run_seconds_bucket{le="+Inf"} 4',
    'run_seconds_sum 3.65',
    'run_seconds_count 4',
  );
  assert.throws(() => histogram.observe(Number.NaN), RangeError);
});

test('each series of a labelled histogram has its own buckets', () => {
  const metrics = create();
  const calls = metrics.histograms({
    name: 'rpc_seconds',
    help: 'Calls.',
    labels: ['method'],
    buckets: [1],
  });
  calls.with({ method: 'get' }).observe(2);
  check(
    metrics,
    '# HELP rpc_seconds Calls.',
    '# TYPE rpc_seconds histogram',
    'rpc_seconds_bucket{method="get",le="1"} 0',
    'rpc_seconds_bucket{method="get",le="+Inf"} 1',
    'rpc_seconds_sum{method="get"} 2',
    'rpc_seconds_count{method="get"} 1',
  );
});

test('bucket bounds are finite and ascend', () => {
  assert.deepEqual(exponentialBuckets(0.001, 2, 4), [0.001, 0.002, 0.004, 0.008]);
  for (const buckets of [[], [1, 1], [2, 1], [1, Infinity], [Number.NaN]]) {
    const options = { name: 'a_seconds', help: 'A.', buckets };
    assert.throws(() => create().histogram(options), /bucket bounds must be finite and ascend/);
    assert.throws(() => create().histograms({ ...options, labels: ['x'] }), /bucket bounds/);
  }
});

test('collected values are read when somebody looks', () => {
  const metrics = create();
  let reads = 0;
  metrics.gauge({ name: 'depth', help: 'D.', collect: () => ++reads });
  metrics.counter({ name: 'kernel_total', help: 'K.', collect: () => 40 + reads });
  const pools = ['a', 'b'];
  metrics.gauges({
    name: 'pool_size',
    help: 'P.',
    labels: ['pool'],
    collect: (family) => {
      for (const pool of pools) family.with({ pool }).set(9);
    },
  });
  const others = ['# HELP kernel_total K.', '# TYPE kernel_total counter'];
  const header = ['# HELP pool_size P.', '# TYPE pool_size gauge'];
  const depth = ['# HELP depth D.', '# TYPE depth gauge'];
  assert.equal(reads, 0);
  check(
    metrics,
    ...depth,
    'depth 1',
    ...others,
    'kernel_total 41',
    ...header,
    'pool_size{pool="a"} 9',
    'pool_size{pool="b"} 9',
  );
  pools.shift();
  check(
    metrics,
    ...depth,
    'depth 2',
    ...others,
    'kernel_total 42',
    ...header,
    'pool_size{pool="b"} 9',
  );
});

test('a metric that cannot be collected is left out and reported', () => {
  const errors: string[] = [];
  const metrics = new Metrics((metric, error) =>
    errors.push(`${metric}: ${(error as Error).message}`),
  );
  metrics.gauge({
    name: 'broken',
    help: 'B.',
    collect: () => {
      throw new Error('no such file');
    },
  });
  metrics.gauge({ name: 'fine', help: 'F.' });
  check(metrics, '# HELP fine F.', '# TYPE fine gauge', 'fine 0');
  assert.deepEqual(errors, ['broken: no such file']);
});

test('names are checked and taken once', () => {
  const metrics = create();
  const help = 'H.';
  for (const name of ['', '1st', 'a-b', 'a b', 'ä', 'a\n']) {
    assert.throws(() => metrics.counter({ name, help }), /is not a metric name/, name);
  }
  for (const label of ['', '1st', 'a-b', '__name__', 'le', 'a:b']) {
    assert.throws(
      () => metrics.gauges({ name: 'ok', help, labels: [label] }),
      /is not a label name/,
      label,
    );
  }
  assert.throws(() => metrics.gauges({ name: 'ok', help, labels: ['a', 'a'] }), /named twice/);
  metrics.histogram({ name: 'ok:seconds', help });
  for (const name of ['ok:seconds', 'ok:seconds_count']) {
    assert.throws(() => metrics.gauge({ name, help }), /there is a metric called/, name);
  }
});

test('a series needs exactly its labels', () => {
  const family = create().counters({ name: 'a_total', help: 'A.', labels: ['pool', 'reason'] });
  const message = 'a_total has the labels [pool, reason], and was given';
  const wrong = (labels: unknown) => () => family.with(labels as { pool: string; reason: string });
  assert.throws(wrong({ pool: 'a' }), new TypeError(`${message} [pool]`));
  assert.throws(wrong({ pool: 'a', reason: 'b', more: 'c' }), TypeError);
  assert.throws(wrong({ pool: 'a', raison: 'b' }), TypeError);
  assert.throws(wrong({ pool: 'a', reason: undefined }), TypeError);
});

test('odd values and hostile text are written as the format wants them', () => {
  const metrics = create();
  const odd = metrics.gauges({ name: 'odd', help: 'A \\ and\na line.', labels: ['x'] });
  odd.with({ x: 'NaN' }).set(Number.NaN);
  odd.with({ x: 'inf' }).set(Infinity);
  odd.with({ x: 'minus' }).set(-Infinity);
  odd.with({ x: 'big' }).set(1e300);
  odd.with({ x: '"}\\\n\ud800ü' }).set(-0.5);
  check(
    metrics,
    '# HELP odd A \\\\ and\\na line.',
    '# TYPE odd gauge',
    'odd{x="NaN"} NaN',
    'odd{x="\\"}\\\\\\n\ufffdü"} -0.5',
    'odd{x="big"} 1e+300',
    'odd{x="inf"} +Inf',
    'odd{x="minus"} -Inf',
  );
});

/** Reads one sample line back as the format's own description says. */
function readLabel(line: string): string {
  const text = /^a\{x="((?:[^"\\\n]|\\.)*)"\} 1$/.exec(line)?.[1];
  assert.ok(text !== undefined, line);
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

test('any label value survives being written and is a series of its own', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { maxLength: 5 }), (values) => {
      const metrics = create();
      const family = metrics.gauges({ name: 'a', help: 'A.', labels: ['x'] });
      for (const x of values) family.with({ x }).set(1);
      const lines = metrics.render().split('\n').slice(2, -1);
      assert.deepEqual(lines.map(readLabel).sort(), values.toSorted());
    }),
    { numRuns: 500 },
  );
});
