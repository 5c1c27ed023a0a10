import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configOf } from '../decide/announcement/snapshot.fixture.ts';
import { FakeHost } from '../linux/fake-host.ts';
import { FakeNeighbours } from '../linux/fake-neighbours.ts';
import { addressKey, type WantedAddress } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { macOf } from '../model/mac.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { Announcer } from './announcer.ts';

const ip = ipOf('192.0.2.100');
const wanted: WantedAddress = {
  link: 'eth0',
  ip,
  prefixLength: 24,
  validSeconds: 300,
  preferredSeconds: 300,
  noPrefixRoute: true,
  noDad: true,
};
const link: Link = {
  index: 2,
  name: 'eth0',
  mac: macOf('02:00:5e:10:00:01'),
  mtu: 1500,
  isUp: true,
  hasCarrier: true,
  operState: 'up',
  isLoopback: false,
  isNoArp: false,
};

function build() {
  const neighbours = new FakeNeighbours({
    host: new FakeHost(),
    clock: new ManualClock(),
    identifier: 1,
  });
  const announcer = new Announcer({
    neighbours,
    log: Log.create({ level: 'error', sink: () => {}, now: () => 0 }),
    metrics: new AgentMetrics(new Metrics(() => {})),
  });
  return { neighbours, announcer };
}

/** How often it announced, and when it wants to be asked again. */
function defender() {
  const { neighbours, announcer } = build();
  let sent = 0;
  neighbours.announce = () => {
    sent += 1;
    return { kind: 'sent' };
  };
  return (now: number, claimed: boolean, isHeld = true) => {
    const outcome = { kind: 'local', wanted } as const;
    const round = {
      decisions: [{ ip, services: [], mode: 'local', outcome, reason: 'electionWon' } as const],
      held: new Set(isHeld ? [addressKey(wanted)] : []),
      takenAt: () => undefined,
      links: [link],
      now,
    };
    const before = sent;
    const wakeAt = announcer.defend(claimed ? [ip] : [], round);
    return [sent - before, wakeAt];
  };
}

test('a stranger is answered at once, and again when neighbours that believed it listen', () => {
  const defend = defender();
  assert.deepEqual(defend(1000, true), [1, 1200]);
  assert.deepEqual(defend(1200, false), [0, 2200]);
  assert.deepEqual(defend(2200, false), [1, 2400]);
  assert.deepEqual(defend(2400, false), [0, Infinity]);
});

test('a stranger that claims an address again six seconds later is answered again', () => {
  const defend = defender();
  for (const now of [1000, 7000]) {
    assert.deepEqual(defend(now, true), [1, now + 200]);
    assert.deepEqual(defend(now + 1200, false), [1, now + 1400]);
  }
});

test('what is given up meanwhile is not defended again', () => {
  const defend = defender();
  defend(1000, true);
  assert.deepEqual(defend(2200, false, false), [0, Infinity]);
  assert.deepEqual(defend(2300, false), [0, Infinity]);
});

test('a pass over some addresses announces those, and the repeats of others stay planned', () => {
  const { neighbours, announcer } = build();
  const sent: string[] = [];
  neighbours.announce = ({ ip: announced }) => {
    sent.push(announced);
    return { kind: 'sent' };
  };
  const other = ipOf('192.0.2.101');
  const roundOf = (which: typeof ip, now: number) => {
    const address = { ...wanted, ip: which };
    const outcome = { kind: 'local', wanted: address } as const;
    return {
      decisions: [
        { ip: which, services: [], mode: 'local', outcome, reason: 'electionWon' } as const,
      ],
      held: new Set([addressKey(address)]),
      takenAt: () => 1000,
      links: [link],
      config: configOf(),
      now,
    };
  };
  announcer.announce(roundOf(ip, 1000));
  announcer.announceSome(roundOf(other, 1050), new Set([other]));
  assert.deepEqual(
    [sent, announcer.nextAt, announcer.dueAt(1200)],
    [[ip, other], 1200, [ip, other]],
  );
  announcer.announceSome(roundOf(other, 1200), new Set([other]));
  assert.deepEqual([sent.slice(2), announcer.dueAt(1200)], [[other], [ip]]);
  announcer.announceSome({ ...roundOf(ip, 1300), decisions: [] }, new Set([ip]));
  assert.deepEqual([sent.slice(3), announcer.dueAt(1300)], [[], []]);
});
