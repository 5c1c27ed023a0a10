/** What every `Speaker` must do. Run on the fake by its unit test, on a real gobgpd by the live test. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { type BgpPath, pathKey } from '../model/bgp-path.ts';
import type { PeerWish, SpeakerChange } from '../model/speaker.ts';
import {
  addPeer,
  identity,
  pathTo,
  peerWish,
  router,
  setPolicies,
  start,
} from './speaker.fixture.ts';
import { type Speaker, SpeakerError } from './speaker.ts';
import { policyContract } from './speaker-policies.contract.ts';

export interface SpeakerWorld extends AsyncDisposable {
  readonly speaker: Speaker;
  /** As when its process dies; `revive` starts another one. */
  kill(): Promise<void>;
  revive(): Promise<void>;
}

export type ContractCase = (title: string, body: (world: SpeakerWorld) => Promise<void>) => void;

const isUnreachable = (error: unknown) =>
  error instanceof SpeakerError && error.code === 'Unreachable';

export function speakerContract(
  name: string,
  open: () => Promise<SpeakerWorld>,
  skip: string | false = false,
): void {
  const it: ContractCase = (title, body) => {
    test(title, { skip }, async () => {
      await using world = await open();
      await body(world);
    });
  };

  describe(`speaker: ${name}`, () => {
    it('a daemon that was not started is empty, and is what it was started as', async ({
      speaker,
    }) => {
      const before = await speaker.read();
      assert.deepEqual([before.identity, before.peers, before.paths], [undefined, [], []]);
      assert.deepEqual(await speaker.apply([start]), []);
      const { asn, routerId, listenPort } = identity;
      assert.deepEqual((await speaker.read()).identity, { asn, routerId, listenPort });
    });

    it('neighbours are read back as they were added, changed and removed', async ({ speaker }) => {
      assert.deepEqual(await speaker.apply([start, setPolicies('a'), addPeer(router)]), []);
      const [added] = (await speaker.read()).peers;
      assert.deepEqual(
        [added?.peer, added?.peerAsn, added?.localAsn, added?.isDown, added?.upSince],
        [{ kind: 'address', address: router }, 64_501, 64_500, false, undefined],
      );
      assert.deepEqual(added?.families, ['ipv4-unicast', 'ipv6-unicast']);
      const peer = peerWish(router, { description: 'rack a', peerAsn: 64_502, isDown: true });
      assert.deepEqual(await speaker.apply([{ kind: 'update-peer', peer, address: router }]), []);
      const [changed] = (await speaker.read()).peers;
      assert.deepEqual(
        [changed?.description, changed?.peerAsn, changed?.isDown],
        ['rack a', 64_502, true],
      );
      assert.deepEqual(
        await speaker.apply([{ kind: 'remove-peer', peer: peer.peer, address: router }]),
        [],
      );
      assert.deepEqual((await speaker.read()).peers, []);
    });

    it('what is so already is success: a neighbour twice, one that is not there', async (world) => {
      const { speaker } = world;
      const remove: SpeakerChange = {
        kind: 'remove-peer',
        peer: peerWish(router).peer,
        address: router,
      };
      const changes = [start, setPolicies('a'), addPeer(router), addPeer(router), remove, remove];
      assert.deepEqual(await speaker.apply(changes), []);
    });

    it('routes are read back, replaced by their prefix and withdrawn by it', async ({
      speaker,
    }) => {
      const first = [pathTo('198.51.100.0/24'), pathTo('2001:db8:aa::1/128')];
      const add: SpeakerChange = { kind: 'set-paths', add: first, withdraw: [] };
      assert.deepEqual(await speaker.apply([start, setPolicies('a'), add]), []);
      const keys = async () => (await speaker.read()).paths.map(pathKey).sort();
      assert.deepEqual(await keys(), first.map(pathKey).sort());

      const marked = pathTo('198.51.100.0/24', ['64500:1', '65535:0']);
      await speaker.apply([{ kind: 'set-paths', add: [marked], withdraw: [] }]);
      assert.deepEqual(await keys(), [marked, ...first.slice(1)].map(pathKey).sort());

      const gone = [pathTo('198.51.100.0/24'), pathTo('203.0.113.0/24')];
      const swap: SpeakerChange = {
        kind: 'set-paths',
        add: [pathTo('203.0.113.7/32')],
        withdraw: gone,
      };
      assert.deepEqual(await speaker.apply([swap]), []);
      assert.deepEqual(
        await keys(),
        [pathTo('203.0.113.7/32'), ...first.slice(1)].map(pathKey).sort(),
      );
      assert.deepEqual(await speaker.learnt(), []);
    });

    it('routes carry all their attributes, and lose them again', async ({ speaker }) => {
      const full = {
        largeCommunities: ['64500:1:2'],
        asPath: [64_500, 64_500],
        med: 0,
        localPreference: 200,
      };
      const texts = ['198.51.100.0/24', '2001:db8:aa::1/128'];
      const rich = texts.map((text) => pathTo(text, ['64500:1', '65535:65281'], full));
      const set = (add: readonly BgpPath[]): SpeakerChange => ({
        kind: 'set-paths',
        add,
        withdraw: [],
      });
      const keys = async () => (await speaker.read()).paths.map(pathKey).sort();
      assert.deepEqual(await speaker.apply([start, setPolicies('a'), set(rich)]), []);
      assert.deepEqual(await keys(), rich.map(pathKey).sort());
      const plain = texts.map((text) => pathTo(text));
      assert.deepEqual(await speaker.apply([set(plain)]), []);
      assert.deepEqual(await keys(), plain.map(pathKey).sort());
    });

    it('groups with the networks whose routers may connect', async ({ speaker }) => {
      const group = { ...peerWish(router), name: 'tor', prefixes: [] };
      const dynamic = { prefix: '198.51.100.0/24', group: 'tor' };
      const changes: readonly SpeakerChange[] = [
        start,
        setPolicies('a'),
        { kind: 'add-group', group },
        { kind: 'add-dynamic', ...dynamic },
      ];
      assert.deepEqual(await speaker.apply(changes), []);
      const { groups, dynamicPrefixes } = await speaker.read();
      assert.deepEqual([groups, dynamicPrefixes], [['tor'], [dynamic]]);
      const undo: readonly SpeakerChange[] = [
        { kind: 'remove-dynamic', ...dynamic },
        { kind: 'remove-group', name: 'tor' },
      ];
      assert.deepEqual(await speaker.apply(undo), []);
      const after = await speaker.read();
      assert.deepEqual([after.groups, after.dynamicPrefixes], [[], []]);
    });

    it('one neighbour that is refused does not keep others from being added', async ({
      speaker,
    }) => {
      const unknown: SpeakerChange = {
        kind: 'update-peer',
        peer: peerWish('203.0.113.9'),
        address: '203.0.113.9',
      };
      const failures = await speaker.apply([start, setPolicies('a'), unknown, addPeer(router)]);
      assert.deepEqual(
        failures.map(({ change, code }) => [change, code]),
        [[unknown, 'Refused']],
      );
      assert.equal((await speaker.read()).peers.length, 1);
    });

    it('a neighbour may be near or far, and not both', async ({ speaker }) => {
      const add = (address: string, more: Partial<PeerWish>): SpeakerChange => ({
        kind: 'add-peer',
        peer: peerWish(address, more),
        isRestarting: false,
      });
      const near = add('198.51.100.1', { leastTtl: 255 });
      const far = add('198.51.100.2', { multihopTtl: 3 });
      const both = add('198.51.100.3', { leastTtl: 254, multihopTtl: 3 });
      const failures = await speaker.apply([start, setPolicies('a'), near, far, both]);
      assert.deepEqual(
        failures.map(({ change, code }) => [change, code]),
        [[both, 'Refused']],
      );
    });

    it('a daemon that is gone is unknown, not empty; its successor is', async (world) => {
      const { speaker } = world;
      await speaker.apply([start, setPolicies('a'), addPeer(router)]);
      await world.kill();
      await assert.rejects(speaker.read(), isUnreachable);
      const failures = await speaker.apply([start, addPeer(router)]);
      assert.deepEqual(
        failures.map(({ code }) => code),
        ['Unreachable', 'Unreachable'],
      );
      await world.revive();
      const { identity: found, peers } = await speaker.read();
      assert.deepEqual([found, peers], [undefined, []]);
    });

    it('who watches is told at the beginning, of changes and of the end', async (world) => {
      const { speaker } = world;
      await speaker.apply([start, setPolicies('a'), addPeer(router)]);
      let heard = 0;
      const until = (count: number) =>
        eventually(() => assert.ok(heard >= count, `${heard}`), { withinMs: 10_000, everyMs: 2 });
      const watching = speaker.watch(() => {
        heard += 1;
      }, new AbortController().signal);
      const ended = assert.rejects(watching, isUnreachable);
      await until(1);
      const before = heard;
      await speaker.apply([addPeer('198.51.100.2')]);
      await speaker.apply([{ kind: 'set-paths', add: [pathTo('203.0.113.7/32')], withdraw: [] }]);
      await until(before + 1);
      await world.kill();
      await ended;
      await assert.rejects(
        speaker.watch(() => {}, new AbortController().signal),
        isUnreachable,
      );
    });

    policyContract(it);

    it('watching ends with the reason of its signal', async ({ speaker }) => {
      await speaker.apply([start]);
      const controller = new AbortController();
      const ended = assert.rejects(
        speaker.watch(() => {}, controller.signal),
        /enough/,
      );
      controller.abort(new Error('enough'));
      await ended;
    });

    it('a daemon that was stopped for a restart says so', async ({ speaker }) => {
      await speaker.apply([start, setPolicies('a')]);
      await speaker.stopForRestart();
      const isStopped = (error: unknown) =>
        error instanceof SpeakerError && error.code === 'Stopped';
      await assert.rejects(speaker.read(), isStopped);
    });
  });
}
