import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../runtime/metrics.ts';
import { registerWireMetrics } from './wire-metrics.ts';

/** Each value is there once. */
const byValue = (left: string, right: string) =>
  Number(left.split(' ')[1]) - Number(right.split(' ')[1]);

test('frames and hints are told as they are counted at the moment', () => {
  const metrics = new Metrics((metric, error) => assert.fail(`${metric}: ${String(error)}`));
  const frames = { framesSent: 0, framesFailed: 2, framesHeard: 3, framesLost: 4 };
  const hints = { heard: 8, malformed: 9, strangers: 10, unauthenticated: 11, replayed: 12 };
  const keys = { names: [] as string[] };
  registerWireMetrics(metrics, {
    neighbours: { counters: () => ({ ...frames, framesMalformed: 5 }) },
    datagrams: { counters: () => ({ sent: 6, failed: 7 }) },
    hints: { counters: () => ({ ...hints, limited: 13 }) },
    keys,
    ear: { mismatched: 14 },
  });
  frames.framesSent = 1;
  const lines = metrics.render().split('\n');
  assert.deepEqual(lines.filter((line) => line.startsWith('purelb_')).toSorted(byValue), [
    'purelb_lbnodeagent_peer_authentication 0',
    'purelb_lbnodeagent_frames_total{outcome="sent"} 1',
    'purelb_lbnodeagent_frames_total{outcome="failed"} 2',
    'purelb_lbnodeagent_frames_total{outcome="heard"} 3',
    'purelb_lbnodeagent_frames_total{outcome="lost"} 4',
    'purelb_lbnodeagent_frames_total{outcome="malformed"} 5',
    'purelb_lbnodeagent_hints_total{outcome="sent"} 6',
    'purelb_lbnodeagent_hints_total{outcome="failed"} 7',
    'purelb_lbnodeagent_hints_total{outcome="heard"} 8',
    'purelb_lbnodeagent_hints_total{outcome="malformed"} 9',
    'purelb_lbnodeagent_hints_total{outcome="strangers"} 10',
    'purelb_lbnodeagent_hints_total{outcome="unauthenticated"} 11',
    'purelb_lbnodeagent_hints_total{outcome="replayed"} 12',
    'purelb_lbnodeagent_hints_total{outcome="limited"} 13',
    'purelb_lbnodeagent_frames_total{outcome="mismatched"} 14',
  ]);
  keys.names.push('0a0b0c0d');
  assert.match(metrics.render(), /^purelb_lbnodeagent_peer_authentication 1$/m);
});
