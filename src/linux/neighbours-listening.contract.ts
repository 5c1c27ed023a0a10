import assert from 'node:assert/strict';
import { broadcastMac } from '../model/mac.ts';
import type { NeighbourEvent } from '../model/neighbour-event.ts';
import { namedMac } from '../model/neighbour-frame.ts';
import { announcementFrames } from '../wire/announcement.ts';
import { allNodes, multicastMac } from '../wire/multicast.ts';
import {
  assertHeardSince,
  type Contract,
  claimsOf,
  foreignMac,
  recordOf,
  silenceMs,
  until,
  vips,
} from './neighbours-world.contract.ts';

export function describeListening(contract: Contract): void {
  const ip = vips.ipv4;

  contract('every listener hears until it is stopped, and nobody hears himself', async (world) => {
    const [first, second]: [NeighbourEvent[], NeighbourEvent[]] = [[], []];
    const [peer] = world.peers;
    peer.hold(ip);
    const listening = world.neighbours.listen(world.link, (event) => first.push(event));
    world.neighbours.listen(world.link, (event) => second.push(event));
    world.neighbours.probe({ link: world.link, ip });
    await until(world, () => claimsOf(first, ip).length === 1 && claimsOf(second, ip).length === 1);
    assert.ok(listening.kind === 'listening');
    listening.stop();
    listening.stop();
    world.neighbours.probe({ link: world.link, ip });
    await until(world, () => claimsOf(second, ip).length === 2);
    assert.equal(claimsOf(first, ip).length, 1);
    assert.ok(second.every((event) => !('from' in event) || event.from !== world.link.mac));
  });

  contract('a drained socket tells at once what came while nobody looked', async (world) => {
    const [peer] = world.peers;
    peer.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    await world.pass(50);
    const sentAt = world.now();
    world.neighbours.probe({ link: world.link, ip });
    world.block(100);
    assert.deepEqual(claimsOf(events, ip), []);
    world.neighbours.drain(world.link);
    assert.deepEqual(claimsOf(events, ip), [{ ip, mac: peer.mac }]);
    // The kernel's time, not ours.
    assertHeardSince(events.slice(-1), sentAt, sentAt + 90);
  });

  contract('a frame is told with its Ethernet sender and the MAC that it names', async (world) => {
    const [peer, other] = world.peers;
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    const forged = Object.values(vips).flatMap((each) =>
      announcementFrames({ ip: each, mac: other.mac, forms: ['reply'] }),
    );
    for (const frame of forged) peer.say({ ...frame, from: peer.mac });
    const found = () =>
      events.flatMap((event) =>
        'from' in event && event.from === peer.mac ? [namedMac(event)] : [],
      );
    await until(world, () => found().filter((mac) => mac === other.mac).length === 2);
  });

  contract('a frame from a group, or from this very link, is not heard', async (world) => {
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    const announcements = Object.values(vips).flatMap((each) =>
      announcementFrames({ ip: each, mac: foreignMac, forms: ['reply'] }),
    );
    for (const from of [broadcastMac, multicastMac(allNodes), world.link.mac]) {
      for (const frame of announcements) world.peers[0].say({ ...frame, from });
    }
    await world.pass(silenceMs);
    world.neighbours.drain(world.link);
    assert.deepEqual([...claimsOf(events, vips.ipv4), ...claimsOf(events, vips.ipv6)], []);
  });

  contract('draining a link that nobody listens to does nothing', async (world) => {
    world.neighbours.drain(world.link);
    const listening = world.neighbours.listen(world.link, () => assert.fail('was stopped'));
    assert.ok(listening.kind === 'listening');
    listening.stop();
    world.peers[0].hold(ip);
    world.neighbours.probe({ link: world.link, ip });
    await world.pass(50);
    world.neighbours.drain(world.link);
  });

  contract('nothing is heard after closing', async (world) => {
    world.peers[0].hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.probe({ link: world.link, ip });
    world.neighbours.close();
    world.neighbours.drain(world.link);
    await world.pass(silenceMs);
    assert.deepEqual(events, []);
  });
}

export function describeLinks(contract: Contract): void {
  const ip = vips.ipv4;

  contract('a link that is down says so, and works again when it is up', async (world) => {
    const [peer] = world.peers;
    const { neighbours, link } = world;
    peer.hold(ip);
    const events = recordOf((listener) => neighbours.listen(link, listener));
    world.setLink('down');
    await until(world, () => events.some(({ kind }) => kind === 'link-down'));
    const failure = { kind: 'failed', reason: 'link-down', errno: 100 };
    assert.deepEqual(neighbours.announce({ link, ip }), failure);
    assert.deepEqual(neighbours.probe({ link, ip }), failure);
    assert.deepEqual(neighbours.counters().framesFailed, 3);
    world.setLink('up');
    await until(world, () => {
      if (neighbours.probe({ link, ip }).kind === 'failed') return false;
      return claimsOf(events, ip).length > 0;
    });
  });

  contract('one may begin to listen on a link that is down', async (world) => {
    const [peer] = world.peers;
    const { neighbours, link } = world;
    peer.hold(ip);
    world.setLink('down');
    const events = recordOf((listener) => neighbours.listen(link, listener));
    await until(world, () => events.some(({ kind }) => kind === 'link-down'));
    world.setLink('up');
    await until(world, () => {
      neighbours.probe({ link, ip });
      return claimsOf(events, ip).length > 0;
    });
  });

  contract('a link that is deleted is told as the last event', async (world) => {
    const { neighbours, link } = world;
    const events = recordOf((listener) => neighbours.listen(link, listener));
    world.deleteLink();
    await until(world, () => events.at(-1)?.kind === 'link-gone', 3000);
    assert.deepEqual(neighbours.announce({ link, ip: vips.ipv6 }), {
      kind: 'failed',
      reason: 'link-gone',
      errno: 6,
    });
    const failure = { kind: 'failed', reason: 'link-gone', errno: 19 };
    assert.deepEqual(
      neighbours.listen(link, () => {}),
      failure,
    );
    neighbours.drain(link);
  });

  contract('the counters count frames', async (world) => {
    const { neighbours, link } = world;
    const before = neighbours.counters();
    neighbours.announce({ link, ip: vips.ipv4 });
    neighbours.announce({ link, ip: vips.ipv6 });
    assert.equal(neighbours.counters().framesSent - before.framesSent, 3);
    const events = recordOf((listener) => neighbours.listen(link, listener));
    world.peers[0].hold(ip);
    neighbours.probe({ link, ip });
    await until(world, () => claimsOf(events, ip).length === 1);
    const { framesHeard, framesLost, framesMalformed } = neighbours.counters();
    assert.equal(framesHeard, events.length);
    assert.deepEqual({ framesLost, framesMalformed }, { framesLost: 0, framesMalformed: 0 });
  });
}
