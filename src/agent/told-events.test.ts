import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAddresses } from '../decide/announcement/place-addresses.ts';
import type { EventFacts } from '../decide/announcement/plan-events.ts';
import { localGroup, service } from '../decide/announcement/pool.fixture.ts';
import { snapshotOf } from '../decide/announcement/snapshot.fixture.ts';
import { addressKey, type WantedAddress } from '../model/address.ts';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { NoteKeeper } from './note-keeper.ts';
import type { Scope } from './service-index.ts';
import { ToldEvents } from './told-events.ts';

const web = service('web', ['192.0.2.100']);
const mail = service('mail', ['192.0.2.101']);

function scopeOf(...services: readonly LoadBalancer[]): Scope {
  return {
    services: new Set(services.map(({ key }) => key)),
    ips: new Set(services.flatMap(({ grant }) => grant.ingress)),
  };
}

/** This node holds their addresses. */
function factsOf(...services: readonly LoadBalancer[]) {
  const snapshot = snapshotOf({ services, pools: [localGroup] });
  const decisions = placeAddresses(snapshot).decisions.map((decision) => {
    const wanted: WantedAddress = {
      link: 'eth0',
      ip: decision.ip,
      prefixLength: 24,
      validSeconds: 300,
      preferredSeconds: 300,
      noPrefixRoute: true,
      noDad: true,
    };
    return { ...decision, outcome: { kind: 'local', wanted }, reason: 'electionWon' } as const;
  });
  const held = new Set(decisions.map(({ outcome }) => addressKey(outcome.wanted)));
  const nothing = { failures: new Map(), setbacks: new Map(), adopted: new Set<string>() };
  return { ...snapshot, ...nothing, decisions, held, conflicts: snapshot.wire.conflicts };
}

function tell(told: ToldEvents, facts: EventFacts, scope?: Scope): readonly string[] {
  const events = told.plan(facts, scope);
  return events.map(({ service: { name }, reason }) => `${name} ${reason}`);
}

test('a fact is told once, by whichever kind of pass', () => {
  const told = new ToldEvents();
  assert.deepEqual(tell(told, factsOf(web)), ['web AnnouncingLocal']);
  assert.deepEqual(tell(told, factsOf(mail), scopeOf(mail)), ['mail AnnouncingLocal']);
  assert.deepEqual(tell(told, factsOf(web), scopeOf(web)), []);
  assert.deepEqual(tell(told, factsOf(web, mail)), []);
});

test('a fact that ended is told again when it is true again', () => {
  const told = new ToldEvents();
  tell(told, factsOf(web, mail));
  const gone = { ...factsOf(web), held: new Set<string>() };
  assert.deepEqual(tell(told, gone, scopeOf(web)), []);
  assert.deepEqual(tell(told, factsOf(web), scopeOf(web)), ['web AnnouncingLocal']);
  assert.deepEqual(tell(told, factsOf(mail), scopeOf(mail)), []);
});

test('a Service that another node is to announce is due by itself, and not the others', () => {
  const notes = new NoteKeeper();
  const { now } = factsOf(web);
  notes.plan(factsOf(web), undefined);
  const pending = { ...factsOf(mail), held: new Set<string>(), decisions: [] };
  const { wakeAt } = notes.plan(pending, scopeOf(mail));
  assert.equal(notes.nextAt, wakeAt);
  assert.ok(wakeAt > now && wakeAt < Infinity);
  assert.deepEqual(notes.dueAt(wakeAt), [mail.key]);
  const announced = service('mail', ['192.0.2.101'], {
    annotations: { 'purelb.io/announcing-IPv4': 'b,eth0,192.0.2.101' },
  });
  notes.plan({ ...factsOf(announced), held: new Set<string>(), decisions: [] }, scopeOf(mail));
  assert.equal(notes.nextAt, Infinity);
});
