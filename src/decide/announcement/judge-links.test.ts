import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Link } from '../../model/link.ts';
import { judgeLinks, type LinkObservations } from './judge-links.ts';
import { link } from './node.fixture.ts';

const timings = { probeIntervalMs: 100, misses: 5, linkSettleMs: 5000 };

/** One link seen again and again: `see(1200, {...})` is what is found after 1.2 s. */
class Watcher {
  #observations: LinkObservations | undefined;
  wakeAt = Infinity;

  see(now: number, state: Partial<Link> = {}): string {
    const judgement = judgeLinks([link('eth0', state)], this.#observations, timings, now);
    this.#observations = judgement.observations;
    this.wakeAt = judgement.wakeAt;
    return [...judgement.health.values()].join();
  }
}

const cut = { hasCarrier: false, operState: 'down' } as const;

test('a link that is there at the start is ready at once, or not at all', () => {
  assert.equal(new Watcher().see(0), 'ready');
  const watcher = new Watcher();
  assert.equal(watcher.see(0, cut), 'noCarrier');
  assert.equal(watcher.see(100), 'settling');
});

test('F14: a link whose carrier is lost for as long as detection takes is not ready', () => {
  const watcher = new Watcher();
  watcher.see(0);
  assert.equal(watcher.see(1000, cut), 'ready');
  assert.equal(watcher.wakeAt, 1500);
  assert.equal(watcher.see(1499, cut), 'ready');
  assert.equal(watcher.see(1500, cut), 'noCarrier');
  assert.equal(watcher.wakeAt, Infinity);
});

test('F14: a link that returns waits before it is ready again', () => {
  const watcher = new Watcher();
  watcher.see(0);
  watcher.see(1000, cut);
  assert.equal(watcher.see(3000), 'settling');
  assert.equal(watcher.wakeAt, 8000);
  assert.equal(watcher.see(7999), 'settling');
  assert.equal(watcher.see(8000), 'ready');
  assert.equal(watcher.see(9000), 'ready');
});

test('a short loss of carrier is ridden out', () => {
  const watcher = new Watcher();
  watcher.see(0);
  watcher.see(1000, cut);
  assert.equal(watcher.see(1400), 'ready');
  assert.equal(watcher.wakeAt, Infinity);
  assert.equal(watcher.see(1450, cut), 'ready');
});

test('a link that flaps while it settles begins anew', () => {
  const watcher = new Watcher();
  watcher.see(0);
  watcher.see(1000, cut);
  watcher.see(3000);
  assert.equal(watcher.see(4000, cut), 'noCarrier');
  assert.equal(watcher.see(4010), 'settling');
  assert.equal(watcher.wakeAt, 9010);
});

test('a link that has settled rides out a short loss again', () => {
  const watcher = new Watcher();
  watcher.see(0, cut);
  watcher.see(1000);
  assert.equal(watcher.see(9000, cut), 'ready');
  assert.equal(watcher.see(9100), 'ready');
});

test('a link that the administrator set down is not ready at once', () => {
  const watcher = new Watcher();
  watcher.see(0);
  assert.equal(watcher.see(1000, { isUp: false, ...cut }), 'down');
  assert.equal(watcher.see(1100), 'ready');
});

test('the operational state counts too, as far as the driver tells it', () => {
  for (const operState of ['up', 'unknown'] as const) {
    assert.equal(new Watcher().see(0, { operState }), 'ready', operState);
  }
  for (const operState of ['dormant', 'lower-layer-down', 'testing'] as const) {
    assert.equal(new Watcher().see(0, { operState }), 'noCarrier', operState);
  }
});

test('a link that appears later has to settle', () => {
  const first = judgeLinks([link('eth0')], undefined, timings, 0);
  const both = [link('eth0'), link('eth1', { index: 7 })];
  assert.deepEqual(
    [...judgeLinks(both, first.observations, timings, 1000).health.values()],
    ['ready', 'settling'],
  );
});

test('judging again at the same moment changes nothing', () => {
  const steps = fc.array(fc.tuple(fc.nat(3000), fc.boolean()), { maxLength: 30 });
  fc.assert(
    fc.property(steps, (history) => {
      const watcher = new Watcher();
      let now = 0;
      for (const [step, isCut] of history) {
        now += step;
        const state = isCut ? cut : {};
        assert.equal(watcher.see(now, state), watcher.see(now, state));
      }
    }),
  );
});
