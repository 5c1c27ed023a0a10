import assert from 'node:assert/strict';
import { type Family, ipOf } from '../model/ip.ts';
import { broadcastMac, type Mac, macOf } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import {
  type Contract,
  claimsOf,
  framesAbout,
  recordOf,
  silenceMs,
  until,
  untilEqual,
  vips,
} from './neighbours-world.contract.ts';

export function describeAnnouncements(family: Family, contract: Contract): void {
  const ip = vips[family];

  contract(`an announcement is heard by everyone as it was meant (${family})`, async (world) => {
    const heard = world.peers.map((peer) => recordOf((listener) => peer.listen(listener)));
    assert.deepEqual(world.neighbours.announce({ link: world.link, ip }), { kind: 'sent' });
    for (const events of heard) {
      await until(world, () => claimsOf(events, ip).length === (family === 'ipv4' ? 2 : 1));
      assert.deepEqual(framesAbout(events, ip), announcementsOf(family, world.link.mac));
    }
  });

  contract(
    `an announcement moves an address in the peers' tables at once (${family})`,
    async (world) => {
      const [client, holder] = world.peers;
      holder.hold(ip);
      await client.ping(ip);
      await untilEqual(world, () => client.neighbour(ip), holder.mac);
      holder.release(ip);
      world.neighbours.announce({ link: world.link, ip });
      await untilEqual(world, () => client.neighbour(ip), world.link.mac);
    },
  );

  contract(`one form of a gratuitous ARP alone moves it too (${family})`, async (world) => {
    const [client, holder] = world.peers;
    holder.hold(ip);
    await client.ping(ip);
    for (const [index, form] of (['request', 'reply'] as const).entries()) {
      const mac = macOf(`02:00:5e:10:ff:0${index}`);
      const link = { ...world.link, mac };
      assert.deepEqual(world.neighbours.announce({ link, ip, forms: [form] }), { kind: 'sent' });
      await untilEqual(world, () => client.neighbour(ip), mac);
    }
  });

  contract(`who holds the address himself believes no announcement (${family})`, async (world) => {
    const [holder] = world.peers;
    holder.hold(ip);
    const events = recordOf((listener) => world.neighbours.listen(world.link, listener));
    world.neighbours.announce({ link: world.link, ip });
    await world.pass(silenceMs);
    assert.equal(holder.neighbour(ip), undefined);
    assert.deepEqual(claimsOf(events, ip), []);
    world.neighbours.probe({ link: world.link, ip });
    await until(world, () => claimsOf(events, ip).length === 1);
  });

  contract(`an announcement makes no entry where there is none (${family})`, async (world) => {
    world.neighbours.announce({ link: world.link, ip });
    await world.pass(silenceMs);
    assert.deepEqual(
      world.peers.map((peer) => peer.neighbour(ip)),
      [undefined, undefined],
    );
  });
}

function announcementsOf(family: Family, mac: Mac): readonly NeighbourFrame[] {
  const ip = vips[family];
  if (family === 'ipv4') {
    const arp = { kind: 'arp', from: mac, to: broadcastMac, sender: { mac, ip } } as const;
    const zero = macOf('00:00:00:00:00:00');
    return [
      { ...arp, operation: 'request', target: { mac: zero, ip } },
      { ...arp, operation: 'reply', target: { mac, ip } },
    ];
  }
  return [
    {
      kind: 'neighbour-advertisement',
      from: mac,
      to: macOf('33:33:00:00:00:01'),
      source: ip,
      destination: ipOf('ff02::1'),
      target: ip,
      targetMac: mac,
      isRouter: false,
      isSolicited: false,
      overrides: true,
    },
  ];
}
