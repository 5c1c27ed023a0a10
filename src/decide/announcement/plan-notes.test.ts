import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey } from '../../model/address.ts';
import { familySamples } from './cluster.fixture.ts';
import { placeAddresses } from './place-addresses.ts';
import { type NoteFacts, planNotes } from './plan-notes.ts';
import { service } from './pool.fixture.ts';
import { now, type SnapshotSpec, snapshotOf } from './snapshot.fixture.ts';

/** Node `a`, alone unless `spec` says otherwise, in whose kernel is all that it wants. */
function factsOf(spec: SnapshotSpec): NoteFacts {
  const snapshot = snapshotOf({ nodes: ['a'], ...spec });
  const { decisions, wanted } = placeAddresses(snapshot);
  const held = new Set(wanted.map(addressKey));
  return { ...snapshot, decisions, held, failures: new Map(), setbacks: new Map() };
}

for (const { family, vip, farIp } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const slot = `a,eth0,${vip}`;
  const announced = (message: string) => ({
    type: 'Announced',
    status: 'True',
    reason: 'Announced',
    message,
    lastTransitionTime: '2026-06-01T12:00:00Z',
  });

  test(`${family}: slot and condition are one write, bound to what was seen`, () => {
    const { patches } = planNotes(factsOf({ services: [service('web', [vip])] }));
    assert.deepEqual(patches, [
      {
        namespace: 'shop',
        name: 'web',
        body: {
          metadata: { uid: 'uid-web', resourceVersion: '7', annotations: { [key]: slot } },
          status: { conditions: [announced(`${vip} by a on eth0`)] },
        },
      },
    ]);
  });

  test(`${family}: for a remote address there is the condition alone`, () => {
    const far = service('far', [farIp], { from: 'remote' });
    const [patch] = planNotes(factsOf({ services: [far] })).patches;
    assert.deepEqual(patch?.body, {
      metadata: { uid: 'uid-far', resourceVersion: '7', annotations: {} },
      status: { conditions: [announced(`${farIp} on kube-lb0 of every node`)] },
    });
  });

  test(`${family}: invariant 2: once everything is said, nothing is written`, () => {
    const annotations = { [key]: slot };
    const conditions = [announced(`${vip} by a on eth0`)];
    const services = [service('web', [vip], { annotations, conditions })];
    const { patches, wakeAt } = planNotes(factsOf({ services }));
    assert.deepEqual([patches, wakeAt], [[], Infinity]);
  });

  test(`${family}: spec 19 #46: the slot of a dead node goes, and the Service is no longer announced`, () => {
    const annotations = { [key]: `x,eth0,${vip}`, 'purelb.io/added-to': 'x/eth0' };
    const conditions = [announced(`${vip} by x on eth0`)];
    const services = [service('web', [vip], { annotations, conditions })];
    const electorate = { myFailing: new Set([vip]) };
    const memory = {
      absentSince: new Map(),
      missingSince: new Map([['shop/web', now - 3000]]),
      slotHistory: new Map(),
      unansweredSince: new Map(),
    };
    const [patch] = planNotes(factsOf({ services, electorate }), memory).patches;
    assert.deepEqual(patch?.body.metadata.annotations, { [key]: null, 'purelb.io/added-to': null });
    const [condition] = patch?.body.status?.conditions ?? [];
    assert.equal(condition && 'status' in condition && condition.status, 'False');
  });
}
