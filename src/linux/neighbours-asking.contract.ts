import assert from 'node:assert/strict';
import { type Family, familyOf, ipOf } from '../model/ip.ts';
import { type Mac, macOf } from '../model/mac.ts';
import { type NeighbourFrame, questionIn, unspecifiedIp } from '../model/neighbour-frame.ts';
import type { Probe } from '../wire/probe.ts';
import {
  assertHeardSince,
  assertSilence,
  type Contract,
  claimsOf,
  foreignMac,
  framesAbout,
  type NeighbourWorld,
  recordOf,
  repliesOf,
  silenceMs,
  until,
  untilDrained,
  vips,
} from './neighbours-world.contract.ts';

export function describeProbes(family: Family, contract: Contract): void {
  const ip = vips[family];

  for (const withSource of [true, false]) {
    describeAnswer(family, { withSource, isUnicast: true }, contract);
    describeAnswer(family, { withSource, isUnicast: false }, contract);
  }

  contract(`a probe without a source leaves no trace (${family})`, async (world) => {
    const [holder, other] = world.peers;
    holder.hold(ip);
    world.neighbours.probe({ link: world.link, ip });
    await world.pass(silenceMs);
    const ours = world.ips[family];
    assert.deepEqual([holder.neighbour(ours), other.neighbour(ours)], [undefined, undefined]);
  });

  contract(`a probe of a free address stays unanswered (${family})`, async (world) => {
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.probe({ link: world.link, ip });
    world.neighbours.probe({ link: world.link, ip, source: world.ips[family] });
    for (const { mac } of world.peers) world.neighbours.probe({ link: world.link, ip, to: mac });
    await assertSilence(world, events, ip);
  });

  contract(`a probe to the wrong MAC stays unanswered (${family})`, async (world) => {
    const [holder, other] = world.peers;
    holder.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.probe({ link: world.link, ip, to: other.mac });
    world.neighbours.probe({ link: world.link, ip, to: foreignMac });
    await assertSilence(world, events, ip);
  });

  contract(`two holders answer with their own MACs (${family})`, async (world) => {
    for (const peer of world.peers) peer.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.probe({ link: world.link, ip });
    await until(world, () => claimsOf(events, ip).length === 2);
    const macs = claimsOf(events, ip).map(({ mac }) => mac);
    assert.deepEqual(macs.sort(), world.peers.map(({ mac }) => mac).sort());
  });

  contract(`a dead holder is silent (${family})`, async (world) => {
    const [holder] = world.peers;
    holder.hold(ip);
    holder.die();
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.probe({ link: world.link, ip });
    world.neighbours.probe({ link: world.link, ip, to: holder.mac, source: world.ips[family] });
    await assertSilence(world, events, ip);
  });

  contract(
    `an address on another link of the host is answered by ARP only (${family})`,
    async (world) => {
      const [holder] = world.peers;
      holder.hold(ip, 'other-link');
      const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
      world.neighbours.probe({ link: world.link, ip });
      if (family === 'ipv6') await assertSilence(world, events, ip);
      else await until(world, () => claimsOf(events, ip).length === 1);
    },
  );
}

interface Question {
  readonly withSource: boolean;
  readonly isUnicast: boolean;
}

function describeAnswer(family: Family, question: Question, contract: Contract): void {
  const { withSource, isUnicast } = question;
  const ip = vips[family];
  const whom = isUnicast ? 'to its MAC' : 'to everyone';
  const source = `${withSource ? 'with' : 'without'} a source`;

  contract(`a holder answers a probe ${whom}, ${source} (${family})`, async (world) => {
    const [holder, other] = world.peers;
    holder.hold(ip);
    const bystander = recordOf((listener) => other.listen(listener));
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    const sentAt = world.now();
    const ours = world.ips[family];
    const to = isUnicast ? { to: holder.mac } : {};
    const probe = { ip, ...to, ...(withSource ? { source: ours } : {}) };
    const outcome = world.neighbours.probe({ link: world.link, ...probe });
    assert.deepEqual(outcome, { kind: 'sent' });
    await until(world, () => claimsOf(events, ip).length > 0);
    await world.pass(silenceMs);
    assert.deepEqual(claimsOf(events, ip), [{ ip, mac: holder.mac }]);
    assert.deepEqual(framesAbout(events, ip)[0], answerTo(probe, holder.mac, world.link.mac));
    assertHeardSince(events, sentAt, world.now());
    assert.equal(holder.neighbour(ours), withSource ? world.link.mac : undefined);
    const wasAsked = bystander.some((event) => 'from' in event && questionIn(event) === ip);
    assert.equal(wasAsked, !isUnicast);
  });
}

/** What the Linux kernel says. */
function answerTo(probe: Omit<Probe, 'mac'>, holder: Mac, asker: Mac): NeighbourFrame {
  const { ip, to, source } = probe;
  if (familyOf(ip) === 'ipv4') {
    const target = { mac: asker, ip: source ?? unspecifiedIp.ipv4 };
    const sender = { mac: holder, ip };
    return { kind: 'arp', from: holder, to: asker, operation: 'reply', sender, target };
  }
  const answer = { kind: 'neighbour-advertisement', from: holder, source: ip, target: ip } as const;
  const flags = { isRouter: false, isSolicited: source !== undefined };
  if (source === undefined) {
    const everyone = { to: macOf('33:33:00:00:00:01'), destination: ipOf('ff02::1') };
    return { ...answer, ...everyone, ...flags, overrides: true, targetMac: holder };
  }
  const path = { ...answer, to: asker, destination: source, ...flags };
  if (to === undefined) return { ...path, overrides: true, targetMac: holder };
  return { ...path, overrides: false };
}

export function describeEchoes(family: Family, contract: Contract): void {
  const ip = vips[family];
  const source = (world: NeighbourWorld) => world.ips[family];

  contract(
    `an echo is answered from wherever the address is on the host (${family})`,
    async (world) => {
      const [holder, other] = world.peers;
      holder.hold(ip);
      other.hold(ip, 'other-link');
      const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
      for (const [index, { mac }] of world.peers.entries()) {
        const sentAt = world.now();
        const echo = {
          link: world.link,
          ip,
          to: mac,
          source: source(world),
          sequence: 65535 - index,
        };
        assert.deepEqual(world.neighbours.echo(echo), { kind: 'sent' });
        await untilDrained(world, () => repliesOf(events).length === index + 1);
        assertHeardSince(events.slice(-1), sentAt, world.now());
      }
      assert.deepEqual(
        repliesOf(events).map(({ at: _, ...reply }) => reply),
        world.peers.map(({ mac }, index) => ({
          kind: 'echo-reply',
          from: mac,
          to: world.link.mac,
          source: ip,
          destination: source(world),
          identifier: 0x1234,
          sequence: 65535 - index,
        })),
      );
    },
  );

  contract(`replies to echoes wait until the link is drained (${family})`, async (world) => {
    const [holder] = world.peers;
    holder.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    const echo = { link: world.link, ip, to: holder.mac, source: source(world) };
    // The first one teaches the holder whom to answer; and a kernel takes a moment to begin with its time stamps.
    world.neighbours.echo({ ...echo, sequence: 1 });
    await untilDrained(world, () => repliesOf(events).length === 1);
    await world.pass(silenceMs);
    for (const sequence of [2, 3]) world.neighbours.echo({ ...echo, sequence });
    await world.pass(silenceMs);
    assert.equal(repliesOf(events).length, 1);
    const readAt = world.now();
    await untilDrained(world, () => repliesOf(events).length === 3);
    // When they arrived, and not when they were read.
    for (const { at } of repliesOf(events)) assert.ok(at < readAt - 10, `${at} is not ${readAt}`);
  });

  contract(`an echo for an address that is gone is not answered (${family})`, async (world) => {
    const [holder, other] = world.peers;
    holder.hold(ip);
    holder.release(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    for (const to of [holder.mac, other.mac, foreignMac]) {
      world.neighbours.echo({ link: world.link, ip, to, source: source(world), sequence: 1 });
    }
    await assertSilence(world, events, ip);
  });

  contract(`echoes of others on the segment are not heard (${family})`, async (world) => {
    const [holder, other] = world.peers;
    holder.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    await other.ping(ip);
    await other.ping(world.ips[family]);
    await world.pass(silenceMs);
    world.neighbours.drain(world.link);
    assert.deepEqual(repliesOf(events), []);
    assert.ok(events.every(({ kind }) => kind !== 'echo-request'));
  });
}
