import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { FakeHost } from '../linux/fake-host.ts';
import { FakeNeighbours } from '../linux/fake-neighbours.ts';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { Claim } from './sayings.ts';
import { WireEar } from './wire-ear.ts';
import { WireMemory } from './wire-memory.ts';

const ip = ipOf('192.0.2.100');
const mac = macOf('02:00:5e:10:00:02');
const claims = new Map<typeof ip, Claim>([[ip, { mac, at: 500, link: 'eth0' }]]);

const allWell = {
  silent: new Map(),
  absences: [],
  orphans: new Map(),
  seen: new Map(),
  passedOver: new Map(),
  answers: {
    denials: new Map(),
    admissions: new Map(),
    affirmed: new Map(),
    unanswered: new Map(),
  },
  signers: new Set<string>(),
};

function silentEar(): WireEar {
  const clock = new ManualClock();
  const neighbours = new FakeNeighbours({ host: new FakeHost(), clock, identifier: 1 });
  const deaf = { onNews: () => {}, onAnswer: () => {}, onFailure: () => {} };
  return new WireEar({ neighbours, clock, ...deaf });
}

test('a member whose Lease no longer names its link is not taken for a stranger', () => {
  const memory = new WireMemory();
  memory.view(silentEar(), new Map([[mac, 'node2']]), allWell, 1000);
  const { identities } = memory.view(silentEar(), new Map(), allWell, 2000);
  assert.deepEqual(memory.noteStrangers(new Set([ip]), claims, identities), []);
});

test('whoever was never a member and claims what this node holds is noted once', () => {
  const memory = new WireMemory();
  const { identities } = memory.view(silentEar(), new Map(), allWell, 1000);
  assert.deepEqual(memory.noteStrangers(new Set([ip]), claims, identities), [ip]);
  assert.deepEqual(memory.noteStrangers(new Set([ip]), claims, identities), []);
});

test('what a router with proxy ARP was taken for is forgotten when it is found to be one', () => {
  const memory = new WireMemory();
  const other = macOf('02:00:5e:10:00:03');
  const conflicts = () => [...memory.view(silentEar(), new Map(), allWell, 1000).conflicts.keys()];
  memory.noteConflict(ip, mac, 900);
  assert.deepEqual([...memory.noteDecisions([finding(other)], 950)], [other]);
  assert.deepEqual(conflicts(), [ip]);
  assert.deepEqual([...memory.noteDecisions([finding(mac), finding(mac)], 960)], [mac]);
  assert.deepEqual([...memory.noteDecisions([finding(mac)], 970)], []);
  assert.deepEqual(conflicts(), []);
});

test('a host that answers for every address with ever new MACs fills neither memory nor log', () => {
  const memory = new WireMemory();
  let told = 0;
  for (let number = 0; number < 5_000; number += 1) {
    const digits = number.toString(16).padStart(4, '0');
    const proxy = macOf(`06:00:00:00:${digits.slice(0, 2)}:${digits.slice(2)}`);
    told += memory.noteDecisions([finding(proxy)], number).size;
  }
  const { proxies } = memory.view(silentEar(), new Map(), allWell, 5_000);
  assert.deepEqual([proxies.size, told], [64, 64]);
});

function finding(proxy: typeof mac): AddressDecision {
  return {
    ip: ipOf('192.0.2.101'),
    services: [],
    mode: 'local',
    outcome: { kind: 'absent' },
    reason: 'lostElection',
    findings: [{ kind: 'proxyArp', mac: proxy }],
  };
}
