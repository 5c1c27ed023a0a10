import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeakerPolicies } from '../../model/speaker.ts';
import { bgpConfig, router, sessionsOf } from './advertisement.fixture.ts';
import { compilePolicies } from './compile-policies.ts';

const compile = (spec: object) => compilePolicies(bgpConfig(spec), sessionsOf(spec));

/** `local → accept`, `neighbor(198.51.100.1) → reject`. */
function texts({ sets, ...policies }: SpeakerPolicies, direction: 'import' | 'export') {
  const membersOf = (name: string) => {
    const set = sets.find((each) => each.name === name);
    return [...(set?.members ?? []), ...(set?.prefixes ?? []).map(({ prefix }) => prefix.ip)];
  };
  const { statements, defaultAction } = policies[direction];
  return [
    ...statements.map(({ conditions, actions }) => {
      const matches = conditions.sets.map(
        ({ type, match, name }) => `${match === 'invert' ? '!' : ''}${type}(${membersOf(name)})`,
      );
      const when = [
        ...(conditions.routeType === undefined ? [] : [conditions.routeType]),
        ...matches,
      ];
      return `${when.join(' ')} → ${actions.route}`;
    }),
    `else ${defaultAction}`,
  ];
}

test('without policies: our own goes out, nothing comes in, nothing is passed on', () => {
  const policies = compile({ neighbors: [router()] });
  assert.deepEqual(texts(policies, 'import'), ['local → accept', 'else reject']);
  assert.deepEqual(texts(policies, 'export'), [
    'external → reject',
    'internal → reject',
    'else accept',
  ]);
});

test('routes are taken in where they are to go to the kernel, and still not passed on', () => {
  const policies = compile({ neighbors: [router()], netlinkExport: { enabled: true, rules: [] } });
  assert.deepEqual(texts(policies, 'import'), ['local → accept', 'else accept']);
  assert.equal(texts(policies, 'export')[0], 'external → reject');
});

test('a route reflector passes routes on', () => {
  const routeReflector = { routeReflectorClient: true, routeReflectorClusterId: '192.0.2.1' };
  const policies = compile({ neighbors: [router({}, { routeReflector })] });
  assert.deepEqual(texts(policies, 'export'), ['else accept']);
});

const definedSets = [
  { type: 'prefix', name: 'ours', prefixes: [{ ipPrefix: '203.0.113.0/24', maskLengthMax: 32 }] },
  { type: 'neighbor', name: 'spines', list: ['198.51.100.0/24'] },
];
const accept = (conditions: object) => ({ conditions, actions: { routeAction: 'accept' } });
const policyDefinitions = [
  { name: 'addresses', statements: [accept({ prefixSet: { name: 'ours' } })] },
  { name: 'to-spines', statements: [accept({ neighborSet: { name: 'spines' } })] },
  {
    name: 'not-spines',
    statements: [accept({ neighborSet: { name: 'spines', match: 'invert' } })],
  },
];
const applies = (...policies: readonly string[]) => ({
  applyPolicy: { exportPolicy: { policies, defaultAction: 'reject' } },
});
const base = { definedSets, policyDefinitions };

test('policies of one neighbour hold for that neighbour alone', () => {
  const neighbors = [router({}, applies('addresses')), router({ neighborAddress: '198.51.100.2' })];
  assert.deepEqual(texts(compile({ ...base, neighbors }), 'export').slice(2), [
    'neighbor(198.51.100.1) prefix(203.0.113.0) → accept',
    'neighbor(198.51.100.1) → reject',
    'else accept',
  ]);
});

test('policies of the speaker come after those of neighbours', () => {
  const global = { asn: 64_500, ...applies('addresses') };
  const neighbors = [router({}, { applyPolicy: { exportPolicy: { policies: ['addresses'] } } })];
  assert.deepEqual(texts(compile({ ...base, global, neighbors }), 'export').slice(2), [
    'neighbor(198.51.100.1) prefix(203.0.113.0) → accept',
    'prefix(203.0.113.0) → accept',
    'else reject',
  ]);
});

test('a condition on neighbours in the policy of one neighbour is decided beforehand', () => {
  const near = [router({}, applies('to-spines', 'not-spines'))];
  assert.deepEqual(texts(compile({ ...base, neighbors: near }), 'export').slice(2), [
    'neighbor(198.51.100.1) → accept',
    'neighbor(198.51.100.1) → reject',
    'else accept',
  ]);
  const far = [router({ neighborAddress: '203.0.113.9' }, applies('to-spines', 'not-spines'))];
  assert.equal(texts(compile({ ...base, neighbors: far }), 'export').length, 5);
});

test('policies of a peer group hold for the networks its members come from', () => {
  const peerGroups = [
    { config: { peerGroupName: 'tor', peerAsn: 64_501 }, ...applies('addresses') },
  ];
  const dynamicNeighbors = [{ prefix: '198.51.100.0/24', peerGroup: 'tor' }];
  assert.deepEqual(texts(compile({ ...base, peerGroups, dynamicNeighbors }), 'export').slice(2), [
    'neighbor(198.51.100.0/24) prefix(203.0.113.0) → accept',
    'neighbor(198.51.100.0/24) → reject',
    'else accept',
  ]);
});

test('names follow the content: the same policy has the same name, another one another', () => {
  const spec = { ...base, neighbors: [router({}, applies('addresses'))] };
  const [first, again] = [compile(spec), compile(spec)];
  assert.deepEqual(first, again);
  const wider = [{ ...definedSets[0], prefixes: [{ ipPrefix: '203.0.113.0/25' }] }, definedSets[1]];
  const changed = compile({ ...spec, definedSets: wider });
  assert.notEqual(changed.export.name, first.export.name);
  assert.equal(changed.import.name, first.import.name);
  const names = first.export.statements.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});
