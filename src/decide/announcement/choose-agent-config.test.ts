import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isProblem } from '../../model/parsed.ts';
import { type AgentOffer, readAgentOffer } from '../../model/read-agent-offer.ts';
import { chooseAgentConfig } from './choose-agent-config.ts';
import { configOf } from './snapshot.fixture.ts';

/** `offer('rack', { rack: 'a' })` selects by labels; without them everything. */
function offer(
  name: string,
  matchLabels?: Record<string, string>,
  local: unknown = {},
): AgentOffer {
  const nodeSelector = matchLabels === undefined ? undefined : { matchLabels };
  return readAgentOffer({
    metadata: { namespace: 'purelb', name, uid: `uid-${name}` },
    spec: { nodeSelector, local },
  });
}

function choose(...offers: readonly AgentOffer[]) {
  const node = { name: 'node1', labels: new Map([['rack', 'a']]) };
  const { config, notices, ...choice } = chooseAgentConfig(node, offers);
  const said = notices.map(({ about, reason, message }) => `${reason} ${about.name}: ${message}`);
  return { ...choice, hasConfig: config !== undefined, said };
}

const configuredBy = (name: string) => ({
  state: 'configured',
  source: `purelb/${name}`,
  hasConfig: true,
});

test('spec 15.1: one catch-all configures the node', () => {
  assert.deepEqual(choose(offer('default')), { ...configuredBy('default'), said: [] });
});

test('an empty selector is a catch-all too', () => {
  const empty = readAgentOffer({
    metadata: { namespace: 'purelb', name: 'a', uid: 'u' },
    spec: { nodeSelector: {}, local: {} },
  });
  assert.equal(choose(empty, offer('z', { rack: 'a' })).source, 'purelb/z');
});

test('spec 15.1: without any LBNodeAgent the documented defaults hold', () => {
  assert.deepEqual(choose(), { state: 'default', source: undefined, hasConfig: true, said: [] });
  const { config } = chooseAgentConfig({ name: 'node1', labels: new Map() }, []);
  assert.deepEqual(config, configOf());
  assert.deepEqual(config?.links, { pattern: undefined, names: [] });
  assert.equal(config?.dummyLink, 'kube-lb0');
});

test('an LBNodeAgent that selects the node and says nothing more leaves it alone', () => {
  const silent = { state: 'unconfigured', source: undefined, hasConfig: false, said: [] };
  assert.deepEqual(choose(offer('empty', undefined, null)), silent);
  assert.deepEqual(
    choose(offer('rack', { rack: 'a' }, null), offer('other', { rack: 'b' })),
    silent,
  );
});

test('spec 15.1: LBNodeAgents that all select other nodes deselect this one', () => {
  assert.deepEqual(choose(offer('other', { rack: 'b' })), {
    state: 'deselected',
    source: undefined,
    hasConfig: false,
    said: [],
  });
});

test('spec 15.5: specific before catch-all whatever the name, then namespace and name', () => {
  const ignored = (name: string) =>
    `ConfigIgnored ${name}: LBNodeAgent purelb/rack-a takes precedence on node node1`;
  assert.deepEqual(
    choose(offer('a'), offer('rack-b', { rack: 'a' }), offer('rack-a', { rack: 'a' })),
    { ...configuredBy('rack-a'), said: [ignored('rack-b'), ignored('a')] },
  );
  const elsewhere = { ...offer('z', { rack: 'a' }), namespace: 'alpha' };
  assert.equal(choose(offer('a', { rack: 'a' }), elsewhere).source, 'alpha/z');
});

test('spec 15.1: one without settings does not stand in the way, and is told so', () => {
  assert.deepEqual(choose(offer('a', undefined, null), offer('b')), {
    ...configuredBy('b'),
    said: ['ConfigIgnored a: LBNodeAgent purelb/b takes precedence on node node1'],
  });
});

test('spec 15.1: a selector that cannot be read selects nothing and is reported', () => {
  const unreadable = readAgentOffer({
    metadata: { namespace: 'purelb', name: 'bad', uid: 'u' },
    spec: { nodeSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] }, local: {} },
  });
  const { state, said } = choose(unreadable);
  assert.equal(state, 'deselected');
  assert.match(
    said[0] ?? '',
    /^InvalidNodeSelector bad: nodeSelector could not be evaluated \(.*Near.*\); this LBNodeAgent applies to no node$/,
  );
  assert.equal(choose(unreadable, offer('default')).state, 'configured');
});

test('spec 12: settings that cannot be read silence the node, and nobody takes their place', () => {
  const broken = offer('rack', { rack: 'a' }, { localInterface: '[' });
  const { said, ...choice } = choose(broken, offer('default'));
  assert.deepEqual(choice, { state: 'invalid', source: 'purelb/rack', hasConfig: false });
  assert.match(
    said[1] ?? '',
    /^ConfigError rack: invalid configuration: node node1 is announcing nothing until/,
  );
  assert.match(said[1] ?? '', /spec\.local\.localInterface/);
});

test('settings that cannot be read do no harm where they are not in force', () => {
  const broken = offer('default', undefined, { localInterface: '[' });
  assert.equal(isProblem(broken.local), true);
  assert.equal(choose(offer('rack', { rack: 'a' }), broken).state, 'configured');
  assert.equal(
    choose(offer('default'), offer('rack', { rack: 'b' }, { garpConfig: 1 })).state,
    'configured',
  );
});
