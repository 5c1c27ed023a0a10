import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { capture } from '../../lab/capture/capture.ts';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import type { Host } from '../../lab/network/host.ts';
import { allocatorUser } from '../allocator/allocator-world.ts';
import { agentContract } from './agent.contract.ts';
import { agentUser } from './agent-world.ts';
import { RealWorld } from './real-world.ts';
import { allAnswer, serve } from './served.ts';

const skip =
  missing('ip', 'ping', 'setpriv', 'tcpdump', 'nft') ||
  missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');

const vips = ['192.0.2.100', '2001:db8:1::100'];
const ipvsLink = 'kube-ipvs0';
const onIpvs = [
  ['192.0.2.100', 32],
  ['2001:db8:1::100', 128],
] as const;

/** As kube-proxy with IPVS has it: every load balancer address on a link that is down, on every node. */
async function addIpvsLink(host: Host, ignore: number): Promise<void> {
  await host.sysctl('net/ipv4/conf/all/arp_ignore', ignore);
  const made = await host.attempt(['ip', 'link', 'add', ipvsLink, 'type', 'dummy']);
  if (made.status !== 0) await host.run(['ip', 'link', 'add', ipvsLink, 'type', 'ifb']);
  for (const [ip, length] of onIpvs) {
    await host.run(['ip', 'address', 'add', `${ip}/${length}`, 'dev', ipvsLink]);
  }
}

async function removeIpvsLink(host: Host): Promise<void> {
  await host.run(['ip', 'link', 'delete', ipvsLink]);
  await host.sysctl('net/ipv4/conf/all/arp_ignore', 0);
}

describe('agents on a real kube-apiserver', { skip }, () => {
  let real: RealWorld;
  before(async () => {
    real = await RealWorld.open({ mode: 'nftables', nodes: [3] });
  });
  after(() => real?.[Symbol.asyncDispose]());

  agentContract(async () => ({
    world: real.agents,
    [Symbol.asyncDispose]: () => real.clear(),
  }));

  const ipvsPlaces = (length: number) =>
    real.lab.nodes.map(({ name }) => `${name} ${ipvsLink}/${length}`);
  const elected = async (ip: string) =>
    (await real.agents.places(ip)).filter((place) => place.includes('eth0'));

  for (const ignore of [0, 1]) {
    test(`addresses that IPVS has on every node are announced by one, with arp_ignore=${ignore}`, async () => {
      await Promise.all(real.lab.nodes.map((host) => addIpvsLink(host, ignore)));
      try {
        await using seen = await capture(real.lab.segment('lan1'), { filter: 'arp or icmp6' });
        await serve(real, 'web', { ips: vips, pods: [1, 3] });
        for (const [ip, length] of onIpvs) {
          const [place = ''] = await eventually(
            async () => {
              const places = await elected(ip);
              assert.equal(places.length, 1);
              return places;
            },
            { withinMs: 20_000 },
          );
          const mac = `02:00:00:01:00:1${/^node(\d)/.exec(place)?.[1]}`;
          await eventually(
            async () => {
              const told = (await seen.text()).filter((line) => tells(line, ip));
              assert.ok(told.length >= 2);
              for (const line of told) assert.ok(line.includes(mac), line);
            },
            { withinMs: 20_000 },
          );
          await sleep(1000);
          assert.deepEqual(await elected(ip), [place]);
          const others = (await real.agents.places(ip)).filter((each) => each !== place);
          assert.deepEqual(others, ipvsPlaces(length));
        }
        await allAnswer(real.clients.near, vips);
        await allAnswer(real.clients.far, vips);
        const told = [
          ...(await real.agents.eventsOf('web')),
          ...Object.keys(await real.agents.annotations('web')),
        ];
        assert.doesNotMatch(told.join(), /conflict/i);
        await real.agents.remove('web');
        for (const [ip, length] of onIpvs) {
          await eventually(
            async () => assert.deepEqual(await real.agents.places(ip), ipvsPlaces(length)),
            {
              withinMs: 20_000,
            },
          );
        }
      } finally {
        await Promise.all(real.lab.nodes.map(removeIpvsLink));
        await real.clear();
      }
    });
  }

  test('nobody asked for more than its role allows', () => {
    const asked = real.controlPlane
      .auditEntries()
      .filter(({ user }) => user.startsWith('system:serviceaccount:purelb-system:'));
    assert.deepEqual(
      asked.filter(({ code }) => code === 401 || code === 403),
      [],
    );
    const who = [...new Set(asked.map(({ user }) => user))].sort();
    assert.deepEqual(who, [allocatorUser, agentUser]);
    // The audit log leaves watches out.
    const lines = [...real.agents.agents.values()].flatMap(({ lines: own }) => own);
    const said = [...lines.map(({ text }) => text), ...real.allocatorLines];
    assert.deepEqual(
      said.filter((line) => /\b403\b|forbidden/i.test(line)),
      [],
    );
  });
});

/** Whether a line of tcpdump is an announcement that nobody asked for. */
function tells(line: string, ip: string): boolean {
  if (ip.includes(':'))
    return (
      line.includes(`neighbor advertisement, tgt is ${ip}`) && line.includes('33:33:00:00:00:01')
    );
  return (
    line.includes(`who-has ${ip} (ff:ff:ff:ff:ff:ff) tell ${ip}`) ||
    line.includes(`who-has ${ip} tell ${ip}`)
  );
}
