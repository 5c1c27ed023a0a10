import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Announcements } from '../../model/agent-config.ts';
import type { Ip } from '../../model/ip.ts';
import { familySamples } from './cluster.fixture.ts';
import { type AnnouncementState, type Holding, planAnnouncements } from './plan-announcements.ts';
import { configOf } from './snapshot.fixture.ts';

/** An agent that announces: `run(200, …)` is what it sends after 200 ms. */
class Announcer {
  readonly #announcements: Announcements;
  readonly #limit: number | undefined;
  #state: AnnouncementState | undefined;
  wakeAt = 0;

  constructor(garpConfig: object | undefined = undefined, limit?: number) {
    this.#announcements = configOf({ garpConfig }).announcements;
    this.#limit = limit;
  }

  run(now: number, ...holdings: readonly Holding[]): readonly Ip[] {
    const order = {
      holdings,
      announcements: this.#announcements,
      maxFramesPerSecond: this.#limit,
      now,
    };
    const plan = planAnnouncements(order, this.#state);
    this.#state = plan.state;
    this.wakeAt = plan.wakeAt;
    return plan.due.map(({ ip }) => ip);
  }

  /** The times at which something is sent by one who wakes when told, until `end`. */
  times(end: number, ...holdings: readonly Holding[]): readonly number[] {
    const times: number[] = [];
    for (let now = 0; now <= end; now = this.wakeAt) {
      if (this.run(now, ...holdings).length > 0) times.push(now);
    }
    return times;
  }
}

const taken = (ip: Ip, takenAt = 0): Holding => ({ ip, link: 'eth0', takenAt });

for (const { family, vip, vip2, vips } of familySamples) {
  test(`${family}: F3: an address that was taken is announced at once and three times more`, () => {
    assert.deepEqual(new Announcer().times(1e9, taken(vip)), [0, 200, 1200, 3000]);
  });

  test(`${family}: spec 9: count, interval and delay are as configured`, () => {
    const announcer = new Announcer({ count: 2, interval: '1s', initialDelay: '50ms' });
    assert.deepEqual(announcer.times(1e9, taken(vip)), [50, 1050]);
  });

  test(`${family}: decision 6: it can be switched off`, () => {
    assert.deepEqual(new Announcer({ enabled: false }).times(1e9, taken(vip)), []);
  });

  test(`${family}: decision 6: nothing is repeated for ever unless asked for`, () => {
    const announcer = new Announcer({ refreshInterval: '10s' });
    assert.deepEqual(announcer.times(25_000, taken(vip)), [0, 200, 1200, 3000, 13_000, 23_000]);
  });

  test(`${family}: what a predecessor left is not announced again`, () => {
    const announcer = new Announcer();
    assert.deepEqual(announcer.run(0, { ip: vip, link: 'eth0', takenAt: undefined }), []);
    assert.equal(announcer.wakeAt, Infinity);
  });

  test(`${family}: spec 9: an address that is no longer held is no longer announced`, () => {
    const announcer = new Announcer();
    announcer.run(0, taken(vip), taken(vip2));
    assert.deepEqual(announcer.run(200, taken(vip2)), [vip2]);
  });

  test(`${family}: an address that is taken again is announced again`, () => {
    const announcer = new Announcer();
    announcer.times(5000, taken(vip));
    assert.deepEqual(announcer.run(9000), []);
    assert.deepEqual(announcer.run(9500, taken(vip, 9500)), [vip]);
    assert.deepEqual(announcer.run(9600, taken(vip, 9600)), [vip]);
  });

  test(`${family}: who comes late announces once, not once for each time missed`, () => {
    const announcer = new Announcer();
    assert.deepEqual(announcer.run(1500, taken(vip)), [vip]);
    assert.deepEqual(announcer.run(1501, taken(vip)), []);
    assert.equal(announcer.wakeAt, 3000);
  });

  test(`${family}: a limit on frames puts off repeats before first words`, () => {
    const frames = family === 'ipv4' ? 2 : 1;
    const announcer = new Announcer(undefined, 2 * frames);
    const [one, two, three] = vips.slice(0, 3).map((ip) => taken(ip));
    assert.ok(one && two && three);
    assert.deepEqual(announcer.run(0, one, two, three), [one.ip, two.ip]);
    assert.equal(announcer.wakeAt, 200);
    assert.deepEqual(announcer.run(200, one, two, three), []);
    assert.equal(announcer.wakeAt, 1000);
    const fresh = taken(vips[9] ?? vip, 900);
    assert.deepEqual(announcer.run(1000, one, two, three, fresh), [three.ip, fresh.ip]);
  });

  test(`${family}: a limit below one announcement lets one through at a time`, () => {
    const announcer = new Announcer(undefined, 1);
    assert.deepEqual(announcer.run(0, taken(vip), taken(vip2)), [vip]);
    assert.deepEqual(announcer.run(1000, taken(vip), taken(vip2)), [vip2]);
  });
}

test('no second ever sees more frames than allowed, and everyone is announced in the end', () => {
  const addresses = familySamples.flatMap(({ vips }) => vips.slice(0, 10));
  const anyHoldings = fc.uniqueArray(
    fc.record(
      { ip: fc.constantFrom(...addresses), link: fc.constant('eth0'), takenAt: fc.nat(2000) },
      { noNullPrototype: true },
    ),
    { selector: ({ ip }) => ip, minLength: 1 },
  );
  fc.assert(
    fc.property(anyHoldings, fc.integer({ min: 2, max: 12 }), (holdings, limit) => {
      const announcer = new Announcer(undefined, limit);
      const sent: { readonly at: number; readonly ip: Ip }[] = [];
      for (let now = 2000; now < 60_000; now = announcer.wakeAt) {
        sent.push(...announcer.run(now, ...holdings).map((ip) => ({ at: now, ip })));
      }
      assert.deepEqual(new Set(sent.map(({ ip }) => ip)), new Set(holdings.map(({ ip }) => ip)));
      for (const { at: from } of sent) {
        const within = sent.filter(({ at }) => at >= from && at < from + 1000);
        const frames = within.reduce((sum, { ip }) => sum + (ip.includes(':') ? 1 : 2), 0);
        assert.ok(frames <= limit, `${frames} frames from ${from}`);
      }
    }),
  );
});
