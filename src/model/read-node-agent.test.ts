import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { readNodeAgent } from './read-node-agent.ts';

function agent(spec: unknown, apiVersion = 'purelb.io/v2'): KubeObject {
  return {
    apiVersion,
    kind: 'LBNodeAgent',
    metadata: { name: 'default', namespace: 'purelb' },
    spec,
  };
}

const readLocal = (local: unknown) => must(readNodeAgent(agent({ local }))).local;

test('a configuration that says nothing has every default', () => {
  const config = must(readNodeAgent(agent({ local: {} })));
  assert.equal(config.identity.name, 'default');
  assert.deepEqual(config.nodeSelector, []);
  assert.deepEqual(config.local, {
    links: { pattern: undefined, names: [] },
    dummyLink: 'kube-lb0',
    announcements: {
      isEnabled: true,
      scheduleMs: [0, 200, 1200, 3000],
      verifiesBeforeSend: true,
      refreshMs: undefined,
    },
    localLifetime: { validSeconds: 300, preferredSeconds: 300, noPrefixRoute: true },
    dummyLifetime: { validSeconds: Infinity, preferredSeconds: Infinity, noPrefixRoute: false },
    onShutdown: 'Auto',
    isGuarded: false,
    forwardingWaitMs: 1500,
    failover: {
      probeIntervalMs: 100,
      misses: 5,
      confirmMs: 100,
      rankDelayMs: 60,
      stallMs: 400,
      linkSettleMs: 5000,
      restartGraceMs: 120_000,
      handoverOverlapMs: 500,
      handoverTimeoutMs: 3000,
      damping: { moves: 3, windowMs: 180_000, holdMs: 180_000 },
      maxFramesPerSecond: undefined,
    },
  });
});

test("upstream's default objects of both versions mean just that", () => {
  const bare = readLocal({});
  assert.deepEqual(readLocal({ localInterface: 'default', dummyInterface: 'kube-lb0' }), bare);
  const v1 = { localint: 'default', extlbint: 'kube-lb0' };
  assert.deepEqual(readLocal(v1), bare);
  assert.deepEqual(readLocal({ localInterface: '', dummyInterface: '', localint: '' }), bare);
});

test('an object without local configures nothing', () => {
  const spec = { nodeSelector: { matchLabels: { rack: 'a' } } };
  const config = must(readNodeAgent(agent(spec)));
  assert.equal(config.local, undefined);
  assert.deepEqual(config.nodeSelector, [{ key: 'rack', operator: 'In', values: ['a'] }]);
});

test("v1's names win over v2's, with a warning where the two disagree", () => {
  const local = {
    localint: '^eth1$',
    localInterface: 'default',
    extlbint: 'dummy0',
    dummyInterface: 'kube-lb9',
    sendgarp: false,
    garpConfig: { enabled: true },
  };
  const reading = readNodeAgent(agent({ local }, 'purelb.io/v1'));
  const { local: config } = must(reading);
  assert.deepEqual(config?.links.pattern, /^eth1$/);
  assert.equal(config?.dummyLink, 'dummy0');
  assert.equal(config?.announcements.isEnabled, false);
  assert.deepEqual(reading.warnings, [
    {
      path: 'spec.local.dummyInterface',
      message: 'is ignored, because spec.local.extlbint is given: remove one of them',
    },
  ]);
});

test('links are chosen by pattern and by name', () => {
  const reading = readNodeAgent(
    agent({ local: { localInterface: 'eth', interfaces: ['b0', '', 'a0'] } }),
  );
  assert.deepEqual(must(reading).local?.links, { pattern: /eth/, names: ['b0', 'a0'] });
  assert.deepEqual(reading.warnings, [
    {
      path: 'spec.local.localInterface',
      message: 'is found anywhere in a name: for whole names write ^eth$',
    },
  ]);
});

test('everything that is wrong is named', () => {
  const reading = readNodeAgent(
    agent({
      nodeSelector: { matchExpressions: [{ key: 'rack', operator: 'Is' }] },
      local: {
        localInterface: 'eth[',
        dummyInterface: 'a name with blanks',
        interfaces: 'eth0',
        onShutdown: 'keep',
        guard: 'yes',
        forwardingWait: '6s',
        failover: { probeInterval: '5ms', misses: 1, damping: { moves: 0 } },
        addressConfig: { localInterface: { validLifetime: -1 } },
        garpConfig: { count: 11, refreshInterval: '1ms' },
      },
    }),
  );
  assert.deepEqual(
    isProblem(reading) && reading.problems.map(({ path }) => path.replace('spec.local.', '')),
    [
      'spec.nodeSelector.matchExpressions[0].operator',
      'localInterface',
      'interfaces',
      'dummyInterface',
      'garpConfig.refreshInterval',
      'garpConfig.count',
      'addressConfig.localInterface.validLifetime',
      'onShutdown',
      'guard',
      'forwardingWait',
      'failover.probeInterval',
      'failover.misses',
      'failover.damping.moves',
    ],
  );
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(
    readNodeAgent,
    agent({ local: { localint: 'eth0', extlbint: 'x', sendgarp: true } }, 'purelb.io/v1'),
    agent({
      nodeSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      local: {
        localInterface: '^eth',
        interfaces: ['eth1'],
        garpConfig: { initialDelay: '1s', count: 3, refreshInterval: '1m' },
        addressConfig: { dummyInterface: { validLifetime: 300 } },
        failover: { probeInterval: '30ms', damping: { window: '1m' } },
      },
    }),
  );
});
