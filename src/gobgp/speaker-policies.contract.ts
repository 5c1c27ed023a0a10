/** What every `Speaker` must do about policies: they are in force before anybody is let in, and stay so. */

import assert from 'node:assert/strict';
import type { SpeakerChange } from '../model/speaker.ts';
import type { ContractCase } from './speaker.contract.ts';
import {
  addPeer,
  peerWish,
  policiesNamed,
  router,
  setPolicies,
  start,
  statement,
} from './speaker.fixture.ts';

export function policyContract(it: ContractCase): void {
  it('policies replace those in force, which can be removed then', async ({ speaker }) => {
    await speaker.apply([start, setPolicies('a')]);
    const sets = [{ type: 'neighbor', name: 'set-b', members: [router], prefixes: [] } as const];
    const policies = policiesNamed('b', { sets });
    const removal: SpeakerChange = {
      kind: 'remove-policies',
      names: ['in-a', 'out-a'],
      sets: [],
    };
    assert.deepEqual(await speaker.apply([{ kind: 'set-policies', policies }, removal]), []);
    const { names, ...found } = (await speaker.read()).policies;
    assert.deepEqual([...names].sort(), ['in-b', 'out-b']);
    assert.deepEqual(found, {
      sets: [{ type: 'neighbor', name: 'set-b' }],
      import: { policies: ['in-b'], defaultAction: 'reject' },
      export: { policies: ['out-b'], defaultAction: 'accept' },
    });
    await speaker.apply([
      setPolicies('c'),
      { kind: 'remove-policies', names: ['in-b', 'out-b'], sets: found.sets },
    ]);
    assert.deepEqual((await speaker.read()).policies.sets, []);
  });

  it('without policies no neighbour is added', async ({ speaker }) => {
    const changes = [setPolicies('a'), addPeer(router)];
    const failures = await speaker.apply(changes);
    assert.deepEqual(
      failures.map(({ change, code }) => [change, code]),
      changes.map((change) => [change, 'Refused']),
    );
  });

  it('no neighbour is let in while no policies are in force', async ({ speaker }) => {
    const group = { ...peerWish(router), name: 'tor', prefixes: [] };
    const dynamic: SpeakerChange = {
      kind: 'add-dynamic',
      prefix: '198.51.100.0/24',
      group: 'tor',
    };
    assert.deepEqual(await speaker.apply([start]), []);
    const add: SpeakerChange = { kind: 'add-group', group };
    const failures = await speaker.apply([addPeer(router), add, dynamic]);
    assert.deepEqual(
      failures.map(({ change, code }) => [change, code]),
      [
        [addPeer(router), 'Refused'],
        [dynamic, 'Refused'],
      ],
    );
    const { peers, dynamicPrefixes } = await speaker.read();
    assert.deepEqual([peers, dynamicPrefixes], [[], []]);
    assert.deepEqual(await speaker.apply([setPolicies('a'), addPeer(router)]), []);
  });

  it('policies that cannot be set leave those in force, and let nobody in', async (world) => {
    const { speaker } = world;
    await speaker.apply([start, setPolicies('a'), addPeer(router)]);
    const before = await speaker.read();
    const sets = [{ type: 'prefix', name: 'nowhere', match: 'any' } as const];
    const broken: SpeakerChange = {
      kind: 'set-policies',
      policies: policiesNamed('b', {
        export: {
          name: 'out-b',
          statements: [statement('out-b-0', { sets })],
          defaultAction: 'reject',
        },
      }),
    };
    const failures = await speaker.apply([broken, addPeer('198.51.100.2')]);
    assert.deepEqual(
      failures.map(({ code }) => code),
      ['Refused', 'Refused'],
    );
    const after = await speaker.read();
    assert.deepEqual(after.policies.export, before.policies.export);
    assert.equal(after.policies.import.defaultAction, 'reject');
    assert.equal(after.peers.length, 1);
  });
}
