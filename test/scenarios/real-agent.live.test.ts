import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Capture, capture } from '../../lab/capture/capture.ts';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { eventually } from '../../lab/eventually.ts';
import { missing } from '../../lab/missing.ts';
import { IpvsLinks } from '../../lab/network/ipvs-links.ts';
import { allocatorUser } from '../allocator/allocator-world.ts';
import { agentContract } from './agent.contract.ts';
import { agentUser } from './agent-world.ts';
import { RealWorld } from './real-world.ts';
import { allAnswer, serve } from './served.ts';

const skip =
  missing('ip', 'ping', 'setpriv', 'tcpdump', 'nft') ||
  missingBinaries('etcd', 'kube-apiserver', 'kube-proxy');

const vips = ['192.0.2.100', '2001:db8:1::100'];
const soon = { withinMs: 20_000 } as const;

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

  for (const order of [
    { ignore: 0, when: 'before' },
    { ignore: 1, when: 'before' },
    { ignore: 0, when: 'after' },
  ] as const) {
    const { ignore, when } = order;
    test(`addresses that IPVS gets on every node ${when} we do are announced by one, with arp_ignore=${ignore}`, () =>
      besideIpvs(real, order));
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
      said.filter((line) => /forbidden/i.test(line)),
      [],
    );
  });
});

interface IpvsOrder {
  readonly ignore: number;
  /** When IPVS gets the addresses. */
  readonly when: 'before' | 'after';
}

async function besideIpvs(real: RealWorld, { ignore, when }: IpvsOrder): Promise<void> {
  await using _cleared = { [Symbol.asyncDispose]: () => real.clear() };
  await using links = await IpvsLinks.add(real.lab.nodes, ignore);
  if (when === 'before') await links.fill(vips);
  await using seen = await capture(real.lab.segment('lan1'), { filter: 'arp or icmp6' });
  await serve(real, 'web', { ips: vips, pods: [1, 3] });
  for (const ip of vips) await eventually(() => elected(real, ip), soon);
  if (when === 'after') await links.fill(vips);
  for (const ip of vips) await isAnnouncedByOne(real, ip, seen, links);
  await allAnswer(real.clients.near, vips);
  await allAnswer(real.clients.far, vips);
  const notes = Object.keys(await real.agents.annotations('web'));
  const told = [...(await real.agents.eventsOf('web')), ...notes];
  assert.doesNotMatch(told.join(), /conflict/i);
  await real.agents.remove('web');
  for (const ip of vips) {
    const isLeft = async () => assert.deepEqual(await real.agents.places(ip), links.places(ip));
    await eventually(isLeft, soon);
  }
}

async function elected(real: RealWorld, ip: string): Promise<string> {
  const places = (await real.agents.places(ip)).filter((place) => place.includes('eth0'));
  assert.equal(places.length, 1);
  return places[0] ?? '';
}

/** One node announces the address, stays the one, and nobody disturbs it. */
async function isAnnouncedByOne(real: RealWorld, ip: string, seen: Capture, links: IpvsLinks) {
  const place = await eventually(() => elected(real, ip), soon);
  const mac = `02:00:00:01:00:1${/^node(\d)/.exec(place)?.[1]}`;
  await eventually(async () => {
    const told = (await seen.text()).filter((line) => tells(line, ip));
    assert.ok(told.length >= 2);
    for (const line of told) assert.ok(line.includes(mac), line);
  }, soon);
  await sleep(1000);
  assert.deepEqual(await real.agents.places(ip), [...links.places(ip), place].sort());
}

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
