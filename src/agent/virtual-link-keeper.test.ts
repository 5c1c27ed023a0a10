import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeKernel } from '../linux/fake-kernel.ts';
import { isProblem } from '../model/parsed.ts';
import { prefixOf } from '../model/prefix.ts';
import { readAgentOffer } from '../model/read-agent-offer.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AddressKeeper } from './address-keeper.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { VirtualLinkKeeper } from './virtual-link-keeper.ts';

const metadata = { namespace: 'purelb', name: 'default', uid: 'u' };
const source = 'purelb/default';

function offerOf(dummyInterface: string) {
  return readAgentOffer({ metadata, spec: { local: { dummyInterface } } });
}

function make() {
  const kernel = new FakeKernel();
  const log = Log.create({ sink: () => {} });
  const start = () => new VirtualLinkKeeper({ kernel, log, offers: () => [offerOf('kube-lb0')] });
  const ensure = async (keeper: VirtualLinkKeeper, name: string) => {
    const { local } = offerOf(name);
    assert.ok(!isProblem(local));
    const [links, addresses] = [await kernel.links(), await kernel.addresses()];
    await keeper.ensure(local.value, { links, addresses, routes: [] });
  };
  const links = async () =>
    (await kernel.links()).flatMap(({ name }) => (name === 'lo' ? [] : [name])).sort();
  return { kernel, log, start, ensure, links };
}

function addition(link: string, prefix: string) {
  const { ip, length: prefixLength } = prefixOf(prefix);
  const lifetime = { validSeconds: Infinity, preferredSeconds: Infinity, noPrefixRoute: false };
  return { kind: 'add', address: { link, ip, prefixLength, ...lifetime, noDad: true } } as const;
}

test('a link of another kind under that name is refused, and told on the LBNodeAgent', async () => {
  const { kernel, start, ensure } = make();
  kernel.machine.addLink({ name: 'kube-lb0', kind: 'veth', isUp: true });
  const keeper = start();
  await ensure(keeper, 'kube-lb0');
  assert.match(keeper.refusal('kube-lb0') ?? '', /exists and is of kind veth/);
  assert.equal(keeper.refusal('eth0'), undefined);
  const choice = { state: 'configured', config: undefined, source, notices: [] } as const;
  const [notice] = keeper.notices(choice, 'node1');
  assert.deepEqual([notice?.about.uid, notice?.reason], ['u', 'ConfigError']);
  assert.match(notice?.message ?? '', /^node node1 announces no remote addresses: link kube-lb0 /);
  kernel.machine.removeLink('kube-lb0');
  await ensure(keeper, 'kube-lb0');
  assert.equal(keeper.refusal('kube-lb0'), undefined);
  assert.deepEqual(keeper.notices(choice, 'node1'), []);
});

test('a link that someone put in the place of ours is looked at', async () => {
  const { kernel, start, ensure } = make();
  const keeper = start();
  await ensure(keeper, 'kube-lb0');
  kernel.machine.removeLink('kube-lb0');
  kernel.machine.addLink({ name: 'kube-lb0', kind: 'veth', isUp: true });
  await ensure(keeper, 'kube-lb0');
  assert.notEqual(keeper.refusal('kube-lb0'), undefined);
});

test('nothing is put on a link that is refused', async () => {
  const { kernel, log } = make();
  kernel.machine.addLink({ name: 'kube-lb0', kind: 'veth', isUp: true });
  kernel.machine.addLink({ name: 'eth0', isUp: true });
  const keeper = new AddressKeeper({
    kernel,
    clock: new ManualClock(),
    log,
    metrics: new AgentMetrics(new Metrics(() => {})),
    refusal: (link) => (link === 'kube-lb0' ? 'not ours' : undefined),
  });
  const changes = [
    { change: addition('kube-lb0', '203.0.113.200/32'), reason: 'missing' } as const,
    { change: addition('eth0', '192.0.2.100/24'), reason: 'missing' } as const,
  ];
  await keeper.apply(
    { changes, duplicates: [], blocked: [], offers: new Map(), wakeAt: Infinity },
    [],
  );
  assert.deepEqual([...keeper.failures], [['203.0.113.200/32@kube-lb0', 'not ours']]);
  const held = (await kernel.addresses()).filter(({ isOurs }) => isOurs);
  assert.deepEqual(
    held.map(({ ip, link }) => `${ip}@${link}`),
    ['192.0.2.100@eth0'],
  );
});

test('the former link goes once no address of ours is on it, also when the name was changed between runs', async () => {
  const { kernel, start, ensure, links } = make();
  const before = start();
  await ensure(before, 'kube-lb0');
  await kernel.apply([addition('kube-lb0', '203.0.113.200/32')]);
  const after = start();
  await ensure(after, 'lb1');
  await after.removeFormer();
  assert.deepEqual(await links(), ['kube-lb0', 'lb1']);
  const { ip, length: prefixLength } = prefixOf('203.0.113.200/32');
  await kernel.apply([{ kind: 'remove', address: { link: 'kube-lb0', ip, prefixLength } }]);
  await after.removeFormer();
  assert.deepEqual(await links(), ['lb1']);
  await ensure(after, 'lb2');
  await after.removeFormer();
  assert.deepEqual(await links(), ['lb2']);
});
