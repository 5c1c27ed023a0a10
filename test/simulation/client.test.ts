import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planHistory } from './fault-plan.ts';
import { History } from './history.ts';

const pingEveryMs = 10;
/** Packets are lost there by chance, which is no silence. */
const byChance = ['frame-loss', 'frame-delay', 'arp-limit', 'frame-copies'];

for (const seed of [12, 24]) {
  test(`seed ${seed}: the silences that are worked out are those that packets show`, async () => {
    const drawn = planHistory({ seed, bursts: 1, calmHours: 0.01, pace: 'several' });
    const bursts = drawn.bursts.map(({ faults, calmMs }) => ({
      calmMs,
      faults: faults.filter(({ kind }) => !byChance.includes(kind)),
    }));
    const history = new History({ ...drawn, bursts }, { pingEveryMs });
    await history.run();
    const { client } = history.simulation;
    const seen = client.pings?.silences ?? [];
    // Shorter ones may lie between two packets.
    const long = client.silences.filter(({ ms }) => ms > 5 * pingEveryMs);
    assert.ok(long.length > 0);
    for (const { ip, from, ms } of long) {
      const isSeen = seen.some(
        (one) =>
          one.ip === ip &&
          Math.abs(one.from - from) <= 2 * pingEveryMs &&
          Math.abs(one.ms - ms) <= 3 * pingEveryMs,
      );
      assert.ok(isSeen, `${ip} from ${from} for ${ms} ms`);
    }
    const shown = seen.filter(({ ms }) => ms > 10 * pingEveryMs);
    for (const { ip, from, ms } of shown) {
      const isKnown = long.some((one) => one.ip === ip && Math.abs(one.from - from) <= 30);
      assert.ok(isKnown, `${ip} from ${from} for ${ms} ms was not worked out`);
    }
  });
}
