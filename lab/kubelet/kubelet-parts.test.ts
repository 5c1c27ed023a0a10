import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefixOf } from '../../src/model/prefix.ts';
import { findImage } from './images.ts';
import { LogRing } from './log-ring.ts';
import { isReady, nodeStatus } from './node-object.ts';
import { nodeBatch, podBatch } from './pod-network.ts';
import { PodNumbers } from './pod-numbers.ts';
import { readPodWish } from './pod-wish.ts';
import { ProbeVerdict } from './probe.ts';

test('images of the lab are found with and without their folder and tag, others never', () => {
  const found = ['web', 'lab/web', 'lab/echo:1', 'nginx', 'docker.io/lab/web', 'toString'].map(
    (name) => findImage(name) !== undefined,
  );
  assert.deepEqual(found, [true, true, true, false, false, false]);
});

test('a wish is read from a Pod, with named ports of probes resolved', () => {
  const wish = readPodWish({
    metadata: { name: 'web-1', namespace: 'shop', uid: 'u1' },
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: 'main',
          image: 'lab/web',
          env: [{ name: 'COLOUR', value: 'red' }],
          ports: [{ name: 'http', containerPort: 8000 }],
          readinessProbe: { httpGet: { port: 'http', path: '/healthz' }, periodSeconds: 1 },
          livenessProbe: { exec: { command: ['true'] } },
        },
      ],
    },
  });
  const probe = { initialDelayMs: 0, timeoutMs: 1000, successThreshold: 1, failureThreshold: 3 };
  assert.deepEqual(wish, {
    namespace: 'shop',
    name: 'web-1',
    uid: 'u1',
    restartPolicy: 'Always',
    graceMs: 5000,
    isHostNetwork: false,
    containers: [
      {
        name: 'main',
        image: 'lab/web',
        args: [],
        env: { COLOUR: 'red' },
        port: 8000,
        readiness: {
          ...probe,
          target: { kind: 'http', port: 8000, path: '/healthz' },
          periodMs: 1000,
        },
        liveness: { ...probe, target: { kind: 'unsupported' }, periodMs: 10_000 },
      },
    ],
  });
});

test('the commands for a pod give both ends their addresses and the way to each other', () => {
  const place = { number: 5, subnets: ['198.19.1.0/24', '2001:db8:f001::/64'].map(prefixOf) };
  assert.deepEqual(nodeBatch(place, 42).trim().split('\n'), [
    'link add name eth0 index 1001 netns 42 mtu 1500 type veth peer name pod5 mtu 1500',
    'link set pod5 up',
    'address add fe80::1/64 dev pod5 nodad',
    'address add 198.19.1.1/32 dev pod5',
    'route replace 198.19.1.5/32 dev pod5',
    'route replace 2001:db8:f001::5/128 dev pod5',
  ]);
  assert.deepEqual(podBatch(place).trim().split('\n'), [
    'link set lo up',
    'link set eth0 up',
    'address add 198.19.1.5/32 dev eth0',
    'route add 198.19.1.1/32 dev eth0 scope link',
    'route add default via 198.19.1.1',
    'address add 2001:db8:f001::5/128 dev eth0 nodad',
    'route add default via fe80::1 dev eth0',
  ]);
});

test('an address that was given back is used again as late as possible', () => {
  const numbers = new PodNumbers();
  assert.deepEqual([numbers.take(), numbers.take()], [2, 3]);
  numbers.giveBack(2);
  const rest = Array.from({ length: 248 }, () => numbers.take());
  assert.deepEqual([rest[0], rest[246], rest[247]], [4, 250, 2]);
  assert.throws(() => numbers.take(), /at most 249 pods/);
});

test('a log keeps the latest lines, and followers hear what comes and when it ends', () => {
  const log = new LogRing(2);
  const at = Date.UTC(2026, 0, 1);
  const heard: string[] = [];
  log.append({ at, stream: 'stdout', text: 'one' });
  log.follow({
    options: { timestamps: true },
    onLine: (line) => heard.push(line),
    onEnd: () => heard.push('end'),
  });
  log.append({ at, stream: 'stderr', text: 'two' });
  log.append({ at: at + 1000, stream: 'stdout', text: 'three' });
  log.close();
  assert.deepEqual(heard, [
    '2026-01-01T00:00:00.000Z two',
    '2026-01-01T00:00:01.000Z three',
    'end',
  ]);
  assert.deepEqual(log.read(), ['two', 'three']);
  assert.deepEqual(log.read({ tailLines: 1 }), ['three']);
  assert.deepEqual(log.read({ sinceMs: at + 1, tailLines: 9 }), ['three']);
});

test('a probe changes its mind only after enough answers in a row', () => {
  const verdict = new ProbeVerdict({ successThreshold: 1, failureThreshold: 3 });
  const answers = [false, false, true, false, false, true, false, false, false, false];
  const told = answers.map((answer) => (verdict.note(answer) ? String(verdict.isWell) : '-'));
  assert.equal(told.join(' '), '- - true - - - - - false -');
});

test('who has not been well yet is not said to be ill, however often it was asked', () => {
  const verdict = new ProbeVerdict({ successThreshold: 1, failureThreshold: 3 });
  const told = [false, false, false, false, true].map((answer) => verdict.note(answer));
  assert.deepEqual([told, verdict.hasBeenWell], [[false, false, false, false, true], true]);
});

test('a node whose kubelet speaks is ready, whatever was said about it before', () => {
  const facts = { name: 'node1', ips: ['192.0.2.11'], podCidrs: [], labels: {} };
  const unknown = [
    { type: 'Ready', status: 'Unknown', lastTransitionTime: '2025-01-01T00:00:00Z' },
  ];
  const now = Date.UTC(2026, 0, 1);
  const { conditions } = nodeStatus(facts, unknown, now) as { conditions: typeof unknown };
  assert.equal(isReady(unknown), false);
  assert.equal(isReady(conditions), true);
  assert.ok(conditions.every((each) => each.lastTransitionTime === '2026-01-01T00:00:00Z'));
});
