import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentMetrics, allocatorMetrics, bgpMetrics, kubeMetrics, type Metric } from './metrics.ts';

const groups: readonly Readonly<Record<string, Metric>>[] = [
  allocatorMetrics,
  agentMetrics,
  kubeMetrics,
  bgpMetrics,
];
const all = groups.flatMap((group) => Object.entries(group));

test('names and labels are what Prometheus takes, each name once', () => {
  assert.equal(new Set(all.map(([name]) => name)).size, all.length);
  for (const [name, { labels, help }] of all) {
    assert.match(name, /^(purelb|k8gobgp)_[a-z][a-z0-9_]+$/);
    for (const label of labels) assert.match(label, /^[a-z_]+$/, name);
    assert.equal(new Set(labels).size, labels.length, name);
    assert.match(help, /^[A-Z].+[^.]$/, name);
  }
});

test('counters end in _total, and histograms alone have rising buckets', () => {
  for (const [name, { type, buckets }] of all) {
    if (type === 'counter') assert.ok(name.endsWith('_total'), name);
    assert.equal(buckets !== undefined, type === 'histogram', name);
    assert.deepEqual(
      buckets?.toSorted((left, right) => left - right),
      buckets,
      name,
    );
  }
});
