import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeBooks, FakeSource } from '../../src/ipam/fake-source.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { rangeOf } from '../../src/model/range.ts';
import { sleep } from '../../src/runtime/clock.ts';
import { installNamespace, lookAt } from './allocator-world.ts';
import { type SimulatedAllocator, SimulatedCluster } from './simulated-cluster.ts';

const groups = `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`;
const shop = '/api/v1/namespaces/shop/services';

/** A cluster with a group whose addresses come from a source, and one with ranges of its own. */
class SourceWorld {
  readonly cluster = new SimulatedCluster(1);
  readonly books = new FakeBooks(
    ['203.0.113.1-203.0.113.9', '2001:db8::1-2001:db8::2'].map(rangeOf),
  );
  allocator: SimulatedAllocator;

  constructor() {
    const external = { provider: 'acme', announce: 'remote' };
    this.group('ext', { external });
    const v4pools = [{ pool: '192.0.2.0/29', subnet: '192.0.2.0/24' }];
    this.group('own', { local: { v4pools } });
    this.allocator = this.start();
  }

  start(): SimulatedAllocator {
    return this.cluster.start({}, { openSource: () => new FakeSource(this.books) });
  }

  group(name: string, spec: object): void {
    const type = { apiVersion: 'purelb.io/v2', kind: 'ServiceGroup' };
    this.cluster.send('POST', groups, { ...type, metadata: { name }, spec });
  }

  service(name: string, annotations: Record<string, string> = {}, spec: object = {}): void {
    const all = { 'purelb.io/service-group': 'ext', ...annotations };
    const ports = [{ port: 80, protocol: 'TCP' }];
    const body = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, annotations: all },
      spec: { type: 'LoadBalancer', ports, ...spec },
    };
    this.cluster.send('POST', shop, body);
  }

  edit(name: string, patch: object): void {
    this.cluster.send('PATCH', `${shop}/${name}`, patch);
  }

  remove(name: string): void {
    this.cluster.send('DELETE', `${shop}/${name}`);
  }

  async pass(ms: number): Promise<void> {
    await this.cluster.clock.advance(ms);
  }

  /** `name: addresses`, or the condition, of each Service. */
  look(): readonly string[] {
    return this.cluster.list(shop).map((object) => {
      const { ingress, allocated } = lookAt(object);
      return `${object.metadata.name}: ${ingress.join(', ') || allocated || '-'}`;
    });
  }

  /** What the source has: `owner family address`, owners by the name of the Service. */
  recorded(): readonly string[] {
    return [...this.books.holdings.values()].map(({ slot, ip }) => `${slot.service} ${ip}`).sort();
  }

  condition(): string {
    const group = this.cluster.send('GET', `${groups}/ext`);
    const { conditions = [] } = (group.status ?? {}) as { conditions?: readonly Condition[] };
    const found = conditions.find(({ type }) => type === 'SourceReady');
    return found ? `${found.status} ${found.reason}: ${found.message}` : '-';
  }

  events(): readonly string[] {
    const path = '/apis/events.k8s.io/v1/events';
    return this.cluster.list(path).map((event: KubeObject) => {
      const { reason, note, regarding } = event as unknown as EventText;
      return `${regarding.name} ${reason}: ${note}`;
    });
  }
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

interface EventText {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
}

async function withWorld(run: (world: SourceWorld) => Promise<void>): Promise<void> {
  const world = new SourceWorld();
  await world.pass(20_000);
  try {
    await run(world);
  } finally {
    await world.allocator.stop();
  }
}

test('I14: a Service is given what its source gives, and the source has it back when it goes', () =>
  withWorld(async (world) => {
    world.service('web');
    await world.pass(2_000);
    assert.deepEqual(world.look(), ['web: 203.0.113.1']);
    assert.deepEqual(world.recorded(), ['shop/web 203.0.113.1']);
    world.remove('web');
    await world.pass(2_000);
    assert.deepEqual([world.look(), world.recorded()], [[], []]);
  }));

test('a source that hangs holds up nobody else', () =>
  withWorld(async (world) => {
    const { clock } = world.cluster;
    world.books.pause = (signal) => sleep(clock, 30_000, signal);
    world.service('slow');
    world.service('quick', { 'purelb.io/service-group': 'own' });
    await world.pass(2_000);
    assert.deepEqual(world.look(), ['quick: 192.0.2.0', 'slow: -']);
    world.books.pause = async () => {};
    await world.pass(60_000);
    assert.deepEqual(world.look(), ['quick: 192.0.2.0', 'slow: 203.0.113.1']);
  }));

test('a dead source shows on its group and on Services, and is asked again until it answers', () =>
  withWorld(async (world) => {
    assert.equal(world.condition(), 'True Answering: acme answers');
    world.books.trouble = 'unavailable';
    world.service('web');
    await world.pass(5_000);
    assert.deepEqual(world.look(), ['web: False Refused: acme is unavailable']);
    assert.equal(world.condition(), 'False Unavailable: acme is unavailable');
    const asked = world.books.calls.length;
    await world.pass(600_000);
    const calls = world.books.calls.length - asked;
    assert.ok(calls > 5 && calls < 40, `asked ${calls} times in ten minutes`);
    world.books.trouble = undefined;
    await world.pass(70_000);
    assert.deepEqual(world.look(), ['web: 203.0.113.1']);
    assert.equal(world.condition(), 'True Answering: acme answers');
    const told = world.events().filter((text) => text.startsWith('ext Source'));
    assert.deepEqual(told, [
      'ext SourceFailed: acme is unavailable',
      'ext SourceRecovered: acme answers',
    ]);
  }));

test('a source that is full says so, and serves as soon as there is room', () =>
  withWorld(async (world) => {
    const dual = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] };
    for (const name of ['a', 'b', 'c']) world.service(name, {}, dual);
    await world.pass(5_000);
    assert.equal(world.look()[2], 'c: False Exhausted: acme has no ipv6 address left');
    assert.equal(
      world.condition(),
      'True Answering: acme answers',
      'that is no fault of the source',
    );
    world.remove('a');
    await world.pass(300_000);
    assert.deepEqual(world.look(), ['b: 2001:db8::2', 'c: 2001:db8::1']);
  }));

test('of a pair that cannot be had whole the half goes back', () =>
  withWorld(async (world) => {
    const single = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] };
    for (const name of ['a', 'b']) world.service(name, {}, single);
    await world.pass(2_000);
    const both = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
    world.service('pair', {}, both);
    world.service('either', {}, { ...both, ipFamilyPolicy: 'PreferDualStack' });
    await world.pass(1_500);
    assert.match(world.look()[3] ?? '', /^pair: False .* has no ipv6 address left/);
    assert.match(world.look()[2] ?? '', /^either: 203\.0\.113\.\d$/);
    const halves = world.recorded().filter((text) => text.startsWith('shop/pair'));
    assert.deepEqual(halves, []);
  }));

test('Services that share an address have it until the last of them goes', () =>
  withWorld(async (world) => {
    const shared = { 'purelb.io/allow-shared-ip': 'k' };
    world.service('one', shared);
    await world.pass(2_000);
    world.service('two', shared, { ports: [{ port: 81, protocol: 'TCP' }] });
    await world.pass(2_000);
    assert.deepEqual(world.look(), ['one: 203.0.113.1', 'two: 203.0.113.1']);
    world.remove('one');
    await world.pass(2_000);
    assert.deepEqual(world.look(), ['two: 203.0.113.1']);
    assert.equal(world.books.holdings.size, 1);
    world.remove('two');
    await world.pass(2_000);
    assert.deepEqual([world.look(), world.books.holdings.size], [[], 0]);
  }));

test('a Service that is deleted while its source is dead goes once that has it back, or is looked through', () =>
  withWorld(async (world) => {
    world.service('web');
    await world.pass(2_000);
    world.books.trouble = 'unavailable';
    world.remove('web');
    await world.pass(20_000);
    const [web = ''] = world.look();
    assert.match(web, /^web: False Pending: .*going back/, 'not announced, but still there');
    await world.pass(120_000);
    assert.deepEqual(world.look(), [], 'nobody waits for ever');
    assert.equal(world.books.holdings.size, 1);
    const told = world.events().filter((text) => text.includes('ReleaseFailed'));
    assert.equal(told.length, 2, told.join('\n'));
    world.books.trouble = undefined;
    await world.pass(900_000);
    assert.equal(world.books.holdings.size, 0, 'what nobody has is found and returned');
  }));

test('an address that is held and not recorded is recorded again', () =>
  withWorld(async (world) => {
    world.service('web');
    await world.pass(2_000);
    world.books.holdings.clear();
    await world.pass(300_000);
    assert.deepEqual(world.recorded(), ['shop/web 203.0.113.1']);
    assert.deepEqual(world.look(), ['web: 203.0.113.1']);
  }));

test('adopt: Services keep their addresses when a group of ranges becomes one with a source', () =>
  withWorld(async (world) => {
    const v4pools = [{ pool: '203.0.113.4/30', subnet: '203.0.113.0/24' }];
    world.group('default', { local: { v4pools } });
    world.service('web', { 'purelb.io/service-group': 'default' });
    await world.pass(2_000);
    const spec = { local: null, external: { provider: 'acme' } };
    world.cluster.send('PATCH', `${groups}/default`, { spec });
    await world.pass(10_000);
    assert.deepEqual(world.look(), ['web: 203.0.113.4']);
    assert.deepEqual(world.recorded(), ['shop/web 203.0.113.4']);
    world.remove('web');
    await world.pass(2_000);
    assert.deepEqual(world.recorded(), []);
  }));

test('a family that a Service gives up goes back while the other stays', () =>
  withWorld(async (world) => {
    world.service('web', {}, { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await world.pass(2_000);
    assert.deepEqual(world.recorded(), ['shop/web 2001:db8::1', 'shop/web 203.0.113.1']);
    world.edit('web', { spec: { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] } });
    await world.pass(2_000);
    assert.deepEqual(world.recorded(), ['shop/web 203.0.113.1']);
  }));

/** Without its finalizer it goes at once, and nothing is left to be written. */
function removeAtOnce(world: SourceWorld, name: string): void {
  world.edit(name, { metadata: { finalizers: null } });
  world.remove(name);
}

for (const waits of [true, false]) {
  const who = waits ? 'a Service waits for it' : 'nobody waits for it';
  test(`a group says within a minute that its source does well again, when ${who}`, () =>
    withWorld(async (world) => {
      world.books.trouble = 'ambiguous';
      world.service('web');
      await world.pass(600_000);
      assert.match(world.condition(), /^False Unavailable/);
      if (!waits) removeAtOnce(world, 'web');
      world.books.trouble = undefined;
      await world.pass(60_000);
      assert.equal(world.condition(), 'True Answering: acme answers');
    }));
}
