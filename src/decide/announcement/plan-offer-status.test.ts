import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AgentOffer, readAgentOffer } from '../../model/read-agent-offer.ts';
import { clusterNode, electorateOf } from './cluster.fixture.ts';
import type { ElectorateFacts } from './electorate.ts';
import { planOfferStatus } from './plan-offer-status.ts';

const names = ['a', 'b', 'c'];
const nodes = names.map((name) => clusterNode(name, { labels: new Map([['name', name]]) }));
const wallNow = Date.parse('2026-06-01T12:00:00Z');

function offer(name: string, spec: object, status: object = {}): AgentOffer {
  const metadata = { namespace: 'p', name, uid: `u-${name}`, resourceVersion: '7', generation: 3 };
  return readAgentOffer({ metadata, spec, status });
}

const onlyOn = (name: string) => ({ nodeSelector: { matchLabels: { name } }, local: {} });

/** What all nodes write together. */
function plan(offers: readonly AgentOffer[], facts: Partial<ElectorateFacts> = {}) {
  return names.flatMap((node) => {
    const electorate = electorateOf(names, { nodes, ...facts, me: node });
    return planOfferStatus({ node, electorate, nodes, offers, wallNow });
  });
}

/** `default 3 True InForce`. */
function said(...args: Parameters<typeof plan>): readonly string[] {
  return plan(...args).map(({ name, body }) => {
    const [ready] = body.status.conditions as { status: string; reason: string }[];
    return `${name} ${body.status.activeLeases} ${ready?.status} ${ready?.reason}`;
  });
}

test('spec 19 #44: exactly one node writes how many use a configuration', () => {
  assert.deepEqual(plan([offer('default', { local: {} })]), [
    {
      namespace: 'p',
      name: 'default',
      body: {
        metadata: { uid: 'u-default', resourceVersion: '7' },
        status: {
          activeLeases: 3,
          observedGeneration: 3,
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'InForce',
              message: 'nodes use it',
              observedGeneration: 3,
              lastTransitionTime: '2026-06-01T12:00:00Z',
            },
          ],
        },
      },
    },
  ]);
});

test('what is written is not written again, and its time stays while its status does', () => {
  const [first] = plan([offer('default', { local: {} })]);
  const status = first?.body.status ?? {};
  assert.deepEqual(plan([offer('default', { local: {} }, status)]), []);
  const later = {
    liveness: new Map(names.map((name) => [name, name === 'c' ? 'expired' : 'alive'] as const)),
  };
  const old = structuredClone(status) as { conditions: { lastTransitionTime: string }[] };
  for (const condition of old.conditions) condition.lastTransitionTime = '2026-01-01T00:00:00Z';
  const changed = ['a', 'b'].flatMap((node) => {
    const electorate = electorateOf(names, { nodes, ...later, me: node });
    const offers = [offer('default', { local: {} }, old)];
    return planOfferStatus({ node, electorate, nodes, offers, wallNow });
  });
  assert.equal(changed.length, 1);
  assert.equal(changed[0]?.body.status.activeLeases, 2);
  const [ready] = (changed[0]?.body.status.conditions ?? []) as { lastTransitionTime: string }[];
  assert.equal(ready?.lastTransitionTime, '2026-01-01T00:00:00Z');
});

test('each node counts for the one that is in force there', () => {
  const offers = [offer('default', { local: {} }), offer('only-b', onlyOn('b'))];
  assert.deepEqual(said(offers), ['default 2 True InForce', 'only-b 1 True InForce'].sort());
});

test('why a configuration is not in force is said', () => {
  assert.deepEqual(said([offer('none', onlyOn('x'))]), ['none 0 False NotInForce']);
  assert.deepEqual(said([offer('silent', {})]), ['silent 0 False NoSettings']);
  assert.deepEqual(said([offer('broken', { local: { localInterface: '[' } })]), [
    'broken 3 False ConfigError',
  ]);
  const matchExpressions = [{ key: 'a', operator: 'Near' }];
  assert.deepEqual(said([offer('odd', { nodeSelector: { matchExpressions }, local: {} })]), [
    'odd 0 False InvalidNodeSelector',
  ]);
  assert.deepEqual(said([]), []);
});

test('nodes that no LBNodeAgent configures are named, since they announce nothing', () => {
  const messages = (...offers: readonly AgentOffer[]) =>
    plan(offers).map(({ body }) => (body.status.conditions[0] as { message: string }).message);
  assert.deepEqual(messages(offer('a', onlyOn('a'))), [
    'nodes use it; no LBNodeAgent configures b, c: they announce nothing',
  ]);
  assert.deepEqual(messages(offer('all', {}), offer('b', onlyOn('b')), offer('c', onlyOn('c'))), [
    'it has no spec.local and configures no node; no LBNodeAgent configures a: it announces nothing',
    'nodes use it; no LBNodeAgent configures a: it announces nothing',
    'nodes use it; no LBNodeAgent configures a: it announces nothing',
  ]);
  assert.deepEqual(messages(offer('all', { local: {} })), ['nodes use it']);
});
