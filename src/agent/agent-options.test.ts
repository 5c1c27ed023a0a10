import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../program/command-line.ts';
import { readOptions, usage } from './agent-options.ts';

const usual = {
  nodeName: 'node1',
  namespace: '',
  podUid: '',
  host: '',
  port: 7472,
  stateSocket: '/run/purelb/agent.sock',
  kubeconfig: undefined,
  leaseDurationMs: 10_000,
  daemonSet: '',
  podName: '',
  peerKeyDir: '/etc/purelb/peer-key',
  gobgpEndpoint: '',
  bgpMetricsPort: 7473,
  bgpHealthPort: 7474,
  gobgpdMetrics: '',
  gobgpdMetricsPort: 7475,
  logLevel: 'info',
} as const;

test('a node name is all that it needs', () => {
  assert.deepEqual(readOptions(['--node-name', 'node1'], {}), usual);
  assert.deepEqual(readOptions([], { PURELB_NODE_NAME: 'node1' }), usual);
  assert.throws(() => readOptions([], {}), /give --node-name or PURELB_NODE_NAME/);
});

test('the environment is heard, and flags win over it', () => {
  const env = {
    PURELB_NODE_NAME: 'node1',
    PURELB_NAMESPACE: ' purelb-system ',
    PURELB_POD_UID: 'uid',
    PURELB_HOST: '192.0.2.1',
    PURELB_STATE_SOCKET: '/run/other.sock',
    PURELB_LEASE_DURATION: '6s',
    PURELB_DAEMONSET: 'lbnodeagent',
    PURELB_PEER_KEY_DIR: '/keys',
    PURELB_LOG_LEVEL: 'DEBUG',
  };
  const heard = {
    ...usual,
    namespace: 'purelb-system',
    podUid: 'uid',
    host: '192.0.2.1',
    stateSocket: '/run/other.sock',
    leaseDurationMs: 6_000,
    daemonSet: 'lbnodeagent',
    peerKeyDir: '/keys',
    logLevel: 'debug',
  };
  assert.deepEqual(readOptions([], env), heard);
  const flags = [
    '-node-name=node2',
    '-namespace',
    'other',
    '--lease-duration',
    '4s',
    '--port=0',
    '--state-socket=',
  ];
  const told = {
    nodeName: 'node2',
    namespace: 'other',
    leaseDurationMs: 4_000,
    port: 0,
    stateSocket: '',
  };
  assert.deepEqual(readOptions(flags, env), { ...heard, ...told });
});

test('flags of the original that mean nothing here are taken all the same', () => {
  const args = ['-node-name', 'node1', '-renew-deadline', '7s', '-retry-period', '2s'];
  assert.deepEqual(readOptions(args, {}), usual);
});

test('what cannot be carried out is refused with what to write instead', () => {
  const refused = (...args: readonly string[]) => {
    assert.throws(() => readOptions(['--node-name', 'node1', ...args], {}), UsageError);
  };
  refused('--port', 'http');
  refused('--lease-duration', '1');
  refused('--log-level', 'loud');
  assert.throws(() => readOptions(['--nodename', 'a'], {}), /did you mean --node-name\?/);
  const env = { PURELB_NODE_NAME: 'node1', PURELB_LEASE_DURATION: 'soon' };
  assert.deepEqual(readOptions([], env), usual);
});

test('help names every flag', () => {
  assert.equal(readOptions(['--help'], {}), 'help');
  for (const flag of ['node-name', 'pod-uid', 'kubeconfig', 'daemonset', 'retry-period']) {
    assert.ok(usage.includes(`--${flag}`), flag);
  }
});
