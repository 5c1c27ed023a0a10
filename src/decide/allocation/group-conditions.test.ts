import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupConditions, groupEvents } from './group-conditions.ts';
import { World } from './world.fixture.ts';

function conditionsOf(world: World, name: string) {
  const verdict = world.state().pools.verdicts.find(({ group }) => group.identity.name === name);
  assert.ok(verdict !== undefined);
  return groupConditions(verdict).map(
    ({ type, status, reason, observedGeneration }) =>
      `${type} ${status} ${reason} ${observedGeneration}`,
  );
}

test('17.43: each way to be in force or not has its conditions', () => {
  const world = new World()
    .group('good', ['192.0.2.0/28'])
    .group('bad', ['nonsense'])
    .group('over', ['192.0.2.0/24'])
    .group('out', ['198.51.100.0/28'], 'other');
  assert.deepEqual(conditionsOf(world, 'good'), [
    'Ready True Accepted 1',
    'Parsed True Accepted 1',
    'Overlap False NoOverlap 1',
    'OutOfScope False InScope 1',
  ]);
  assert.deepEqual(conditionsOf(world, 'bad'), [
    'Ready False ParseFailed 1',
    'Parsed False ParseFailed 1',
    'Overlap Unknown ParseFailed 1',
    'OutOfScope False InScope 1',
  ]);
  assert.deepEqual(conditionsOf(world, 'over'), [
    'Ready False OverlapsOther 1',
    'Parsed True Accepted 1',
    'Overlap True OverlapsOther 1',
    'OutOfScope False InScope 1',
  ]);
  assert.deepEqual(conditionsOf(world, 'out'), [
    'Ready False OutsideInstallNamespace 1',
    'Parsed True Accepted 1',
    'Overlap Unknown OutsideInstallNamespace 1',
    'OutOfScope True OutsideInstallNamespace 1',
  ]);
});

test('17.34: Events tell what changed, once', () => {
  const world = new World().group('a', ['192.0.2.0/28']).group('b', ['192.0.2.0/24']).settle();
  assert.deepEqual(world.takeEvents(), [
    'a Parsed: ServiceGroup parsed successfully',
    'b ParseFailed: Pool overlaps with already defined pool "a"',
  ]);
  world.editGroup('a', ['192.0.2.0/27']).settle();
  assert.deepEqual(world.takeEvents(), []);
  world.editGroup('b', ['198.51.100.0/24']).settle();
  assert.deepEqual(world.takeEvents(), ['b Parsed: ServiceGroup parsed successfully']);
  world.group('c', ['203.0.113.0/24'], 'other').settle();
  assert.match(world.takeEvents().join(), /^c ServiceGroupOutOfScope: this local group is ignored/);
});

test('decision 2: that a group has silently become local is said', () => {
  const world = new World()
    .group('a', {
      announce: 'auto',
      local: { v4pools: [{ pool: '192.0.2.0/28', subnet: '192.0.2.0/24' }] },
    })
    .settle();
  world.takeEvents();
  world.editGroup('a', ['192.0.2.0/28']).settle();
  assert.match(
    world.takeEvents().join(),
    /^a AnnounceChanged: announce has changed from auto to local/,
  );
  const [verdict] = world.state().pools.verdicts;
  assert.deepEqual(verdict && groupEvents(verdict), []);
});

test('how the source does is a condition of its own, and an Event when that changes', () => {
  const world = new World().group('ext', { external: { provider: 'acme' } }).settle();
  world.takeEvents();
  const said = () => {
    const { conditions = [] } = world.settle().groupStatus('ext');
    const [own] = conditions.filter(({ type }) => type === 'SourceReady');
    const { status, reason, message } = { reason: '', message: '', status: '', ...own };
    return [`${status} ${reason}: ${message}`, ...world.takeEvents()];
  };
  assert.deepEqual(said(), [' : '], 'nobody has asked it yet');
  const counts = { available: { ipv4: 7n, ipv6: 0n }, addresses: ['203.0.113.0/29'] };
  const report = { warnings: [], stats: counts } as const;
  const message = 'acme does not answer';
  world.sources.set('ext', { ...report, isReady: false, reason: 'Unavailable', message });
  assert.deepEqual(said(), [`False Unavailable: ${message}`, `ext SourceFailed: ${message}`]);
  const well = { ...report, isReady: true, reason: 'Answering', message: 'acme answers' } as const;
  world.sources.set('ext', well);
  assert.deepEqual(said(), ['True Answering: acme answers', 'ext SourceRecovered: acme answers']);
  world.sources.set('ext', { ...well, warnings: ['it is slow'] });
  assert.deepEqual(said(), [
    'True Answering: acme answers; it is slow',
    'ext SourceWarning: it is slow',
  ]);
  assert.deepEqual(said(), ['True Answering: acme answers; it is slow']);
  const { availableIPv4, availableIPv6 } = world.groupStatus('ext');
  assert.deepEqual([availableIPv4, availableIPv6], [7, 0]);
  world.sources.clear();
  assert.deepEqual(said(), ['True Answering: acme answers; it is slow'], 'a new leader keeps it');
});

test('a group whose source refuses is not Ready, and no Event says that it was parsed again', () => {
  const world = new World().group('ext', { external: { provider: 'acme' } }).settle();
  const ready = () => {
    const { conditions = [] } = world.settle().groupStatus('ext');
    const own = conditions.find(({ type }) => type === 'Ready');
    const { status, reason, message } = { status: '', reason: '', message: '', ...own };
    return `${status} ${reason}: ${message}`;
  };
  assert.equal(ready(), 'True Accepted: addresses are given out');
  world.takeEvents();
  const report = { warnings: [], stats: undefined } as const;
  const message = 'acme refuses the API token';
  world.sources.set('ext', { ...report, isReady: false, reason: 'Denied', message });
  assert.equal(ready(), `False Denied: ${message}; Services keep what they have`);
  assert.deepEqual(world.takeEvents(), [`ext SourceFailed: ${message}`]);
  world.sources.clear();
  assert.equal(ready(), `False Denied: ${message}; Services keep what they have`, 'a new leader');
  const well = { ...report, isReady: true, reason: 'Answering', message: 'acme answers' } as const;
  world.sources.set('ext', well);
  assert.equal(ready(), 'True Accepted: addresses are given out');
  assert.deepEqual(world.takeEvents(), ['ext SourceRecovered: acme answers']);
});
