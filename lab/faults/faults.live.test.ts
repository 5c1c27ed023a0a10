import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { missing } from '../missing.ts';
import type { Host } from '../network/host.ts';
import { type Lab, lan } from '../network/lab.ts';
import { ping } from '../traffic/ping.ts';
import { startResponder } from '../traffic/responder.ts';
import { startUdpClient, type UdpClientReport } from '../traffic/udp-client.ts';
import { cutPort, isolate, takeDown, unplug } from './cut.ts';
import { dropFrames } from './drop-frames.ts';
import type { Fault } from './fault.ts';
import { partition } from './partition.ts';
import { powerOff } from './power.ts';
import { suppressArp } from './suppress-arp.ts';

/** How many ICMP echo requests its kernel has answered. */
async function echoesHeard(host: Host): Promise<number> {
  const { stdout } = await host.run(['cat', '/proc/net/snmp']);
  const [names = [], values = []] = stdout
    .split('\n')
    .filter((line) => line.startsWith('Icmp:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('InEchos')]);
}

const families = ['ipv4', 'ipv6'] as const;
const faultMs = 200;
/** How much longer than the fault an outage may look: starting `ip` or `nft` takes its time on a busy machine. */
const toleranceMs = 150;

suite('faults', { skip: missing('ip', 'ping', 'nft', 'setpriv', 'arping', 'bridge') }, () => {
  let lab: Lab;
  before(async () => {
    lab = await lan({ nodes: [3, 2], clients: ['lan1', 'outside'] });
    for (const node of lab.nodes) await startResponder(node);
  });
  after(async () => {
    await lab[Symbol.asyncDispose]();
  });
  const carrier = async (host: Host) => (await host.links())[0]?.hasCarrier;

  /** What clients beyond the router see of node 1, in both families, while the fault comes and goes. */
  async function seen(inflictFault: () => Promise<Fault>): Promise<readonly UdpClientReport[]> {
    const clients = await Promise.all(
      families.map((family) =>
        startUdpClient(lab.host('client2'), { to: lab.node(1).address(family) }),
      ),
    );
    const answered = () => assert.ok(clients.every(({ progress }) => progress.received > 100));
    await eventually(answered, { withinMs: 3000 });
    const fault = await inflictFault();
    await sleep(faultMs);
    await fault.heal();
    const healedAt = clients.map(({ progress }) => progress.received);
    const back = () => {
      for (const [index, client] of clients.entries())
        assert.ok(client.progress.received > (healedAt[index] ?? 0) + 100);
    };
    await eventually(back, { withinMs: 3000 });
    return Promise.all(clients.map((client) => client.stop()));
  }

  /** A host that looks for its router just when the cable goes asks again only a second later; until then it is late. */
  const arpRepeatMs = 1000;

  const cuts: Readonly<Record<string, () => Promise<Fault>>> = {
    'an unplugged cable': () => unplug(lab.node(1).nic()),
    'a cut switch port': () => cutPort(lab.node(1).nic()),
    'a link taken down': () => takeDown(lab.node(1).nic()),
    'an isolated host': () => isolate(lab.node(1)),
    'frames dropped on their way out': () => dropFrames({ from: lab.node(1).nic() }),
    'frames dropped on their way in': () => dropFrames({ to: lab.node(1).nic() }),
    'frames dropped between two NICs': () =>
      dropFrames({ from: lab.router.nic(), to: lab.node(1).nic() }),
    'a partition': () => partition(lab.segment('lan1'), [[lab.node(1), lab.node(2)]]),
  };
  for (const [what, inflictFault] of Object.entries(cuts)) {
    test(`${what}: an outage of that length, over when healed`, async () => {
      const graceMs = toleranceMs + (what === 'an unplugged cable' ? arpRepeatMs : 0);
      for (const { outages, lost, longestOutageMs, socketDrops } of await seen(inflictFault)) {
        assert.equal(outages.length, 1, JSON.stringify(outages));
        assert.ok(lost >= 0.9 * faultMs && lost < faultMs + toleranceMs, `${lost} lost`);
        assert.ok(longestOutageMs >= faultMs, `${longestOutageMs} ms`);
        assert.ok(longestOutageMs < faultMs + graceMs, `${longestOutageMs} ms`);
        assert.equal(socketDrops, 0);
      }
    });
  }

  test('a host sees an unplugged cable and a link taken down, but no cut port', async () => {
    const node = lab.node(1);
    const states: unknown[] = [];
    for (const inflictFault of [unplug, takeDown, cutPort]) {
      await using _ = await inflictFault(node.nic());
      const [link] = await node.links();
      states.push([link?.hasCarrier, link?.addresses]);
    }
    const [ipv4, ipv6] = ['192.0.2.11/24', '2001:db8:1::11/64'];
    assert.deepEqual(states, [
      [false, [ipv4, ipv6]],
      [false, [ipv4]],
      [true, [ipv4, ipv6]],
    ]);
    assert.equal(await carrier(node), true);
  });

  test('a carrier comes back at once', async () => {
    for (let round = 0; round < 3; round++) {
      const cable = await unplug(lab.node(2).nic());
      await cable.heal();
      await eventually(async () => assert.equal(await carrier(lab.node(2)), true), {
        withinMs: 200,
      });
      assert.notEqual(await ping(lab.node(1), lab.node(2).ipv4, 200), undefined);
    }
  });

  test('a share of the frames is lost at random', async () => {
    await using client = await startUdpClient(lab.host('client1'), { to: lab.node(2).ipv4 });
    await using _ = await dropFrames({ to: lab.node(2).nic(), share: 0.2 });
    await eventually(() => assert.ok(client.progress.sent > 1500), { withinMs: 5000 });
    const { lost, sent } = await client.stop();
    // Some were sent before; 20 % of 1,500 with a wide berth.
    assert.ok(lost > 0.1 * sent && lost < 0.3 * sent, `${lost} of ${sent}`);
  });

  test('only what matches is dropped', async () => {
    await using _ = await dropFrames({ to: lab.node(2).nic(), match: 'ip protocol udp' });
    await using udp = await startUdpClient(lab.host('client1'), {
      to: lab.node(2).ipv4,
      packets: 50,
    });
    const { received } = await udp.finish();
    assert.equal(received, 0);
    assert.notEqual(await ping(lab.host('client1'), lab.node(2).ipv4), undefined);
    assert.notEqual(await ping(lab.host('client1'), lab.node(2).ipv6), undefined);
  });

  test('one direction is dropped and the other is not', async () => {
    const [left, right] = [lab.node(2), lab.node(3)];
    // Both know each other's MAC, for which answers would be lost as well.
    await ping(right, left.ipv4);
    await using _ = await dropFrames({ from: left.nic(), to: right.nic() });
    const before = await echoesHeard(left);
    assert.equal(await ping(right, left.ipv4, 300), undefined);
    assert.equal(
      await echoesHeard(left),
      before + 1,
      'the question came through, the answer did not',
    );
    for (const host of [left, right])
      assert.notEqual(await ping(lab.host('client1'), host.ipv4), undefined);
  });

  test('a partition separates its groups and nobody else', async () => {
    const [one, two, three] = [lab.node(1), lab.node(2), lab.node(3)];
    const hears = async (from: Host, to: Host) => (await ping(from, to.ipv4, 300)) !== undefined;
    const split = await partition(lab.segment('lan1'), [[one, two], [three]]);
    assert.deepEqual(
      await Promise.all([
        hears(one, two),
        hears(two, three),
        hears(lab.router, one),
        hears(lab.router, lab.host('client1')),
      ]),
      [true, false, false, true],
    );
    await split.heal();
    assert.ok(await hears(two, three));
  });

  test('faults overlap and heal in any order', async () => {
    const node = lab.node(1);
    const hears = async () => (await ping(lab.router, node.ipv4, 200)) !== undefined;
    const cable = await unplug(node.nic());
    const port = await cutPort(node.nic());
    const split = await partition(lab.segment('lan1'), [[node]]);
    await cable.heal();
    await cable.heal();
    assert.deepEqual([await carrier(node), await hears()], [true, false]);
    await split.heal();
    assert.equal(await hears(), false);
    await port.heal();
    assert.equal(await hears(), true);
  });

  test('a power cut silences all links, ends all programs, and leaves nothing to come back to', async () => {
    const node = lab.node(3);
    await node.run(['ip', 'address', 'add', '192.0.2.100/24', 'dev', 'eth0']);
    await using client = await startUdpClient(lab.host('client2'), { to: node.ipv4 });
    await eventually(() => assert.ok(client.progress.received > 50), { withinMs: 3000 });
    const programs = [...node.processes];
    const power = await powerOff(node);
    assert.deepEqual([programs.length, programs.every(({ hasExited }) => hasExited)], [1, true]);
    assert.equal(await ping(lab.node(1), node.ipv6, 200), undefined);
    await assert.rejects(startResponder(node), /node3 is switched off/);
    await power.heal();
    const [link] = await node.links();
    assert.deepEqual(link?.addresses, ['192.0.2.13/24', '2001:db8:1::13/64']);
    assert.notEqual(await ping(lab.node(1), node.ipv6), undefined);
    await startResponder(node);
    await eventually(() => assert.ok(client.progress.sent - client.progress.received > 100), {
      withinMs: 3000,
    });
    const { outages } = await client.stop();
    assert.equal(outages.length, 1);
    const [outage] = outages;
    assert.ok(outage && Math.abs(outage.from - power.since) < toleranceMs);
  });

  test('with ARP suppression a probe finds nobody, and the dead still seem to answer', async () => {
    await using own = await lan({ nodes: 2 });
    const [asker, hidden] = [own.node(1), own.node(2)];
    const arping = async (...how: readonly string[]) => {
      const argv = ['arping', ...how, '-c', '1', '-w', '1', '-I', 'eth0', hidden.ipv4];
      return (await asker.attempt(argv)).stdout.includes('Received 1 response');
    };
    await ping(asker, hidden.ipv4);
    await using _suppression = await suppressArp(hidden.nic(), [hidden.ipv4, hidden.ipv6]);
    assert.deepEqual([await arping('-D'), await arping()], [false, true]);
    await using _cut = await dropFrames({ from: hidden.nic() });
    assert.equal(await arping(), true);
  });
});
