import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerReading, ContainerState } from './container-reading.ts';
import { missingImage } from './images.ts';
import {
  type PodCondition,
  type PodFacts,
  type PodPhase,
  podPhase,
  podStatus,
} from './pod-status.ts';

const start = Date.UTC(2026, 0, 1);
const startText = '2026-01-01T00:00:00Z';
const running: ContainerState = { kind: 'running', startedAt: start };
const waiting: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };
const ended = (exitCode: number): ContainerState => {
  return { kind: 'terminated', exitCode, startedAt: start, finishedAt: start + 1000 };
};

function container(state: ContainerState, more: Partial<ContainerReading> = {}): ContainerReading {
  return { name: 'main', image: 'lab/web', state, restartCount: 0, isReady: false, ...more };
}

function facts(containers: readonly ContainerReading[], more: Partial<PodFacts> = {}): PodFacts {
  const ips = ['198.19.1.2', '2001:db8:f001::2'];
  const hostIps = ['192.0.2.11', '2001:db8:1::11'];
  return { startedAt: start, ips, hostIps, containers, restartPolicy: 'Always', ...more };
}

test('the status of a pod that runs is what a kubelet writes', () => {
  const reading = container(running, { isReady: true, pid: 42 });
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: startText });
  assert.deepEqual(podStatus(facts([reading]), [], start), {
    phase: 'Running',
    startTime: startText,
    hostIP: '192.0.2.11',
    hostIPs: [{ ip: '192.0.2.11' }, { ip: '2001:db8:1::11' }],
    podIP: '198.19.1.2',
    podIPs: [{ ip: '198.19.1.2' }, { ip: '2001:db8:f001::2' }],
    conditions: [
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ].map(condition),
    containerStatuses: [
      {
        name: 'main',
        image: 'lab/web',
        imageID: 'lab://lab/web',
        containerID: 'lab://42',
        ready: true,
        started: true,
        restartCount: 0,
        state: { running: { startedAt: startText } },
        lastState: {},
      },
    ],
  });
});

test('a condition keeps its time as long as its status, and others of the pod stay', () => {
  const before: readonly PodCondition[] = [
    { type: 'Ready', status: 'True', lastTransitionTime: '2025-12-31T00:00:00Z' },
    { type: 'example.com/gate', status: 'True', lastTransitionTime: '2025-12-30T00:00:00Z' },
  ];
  const timesOf = (reading: ContainerReading) => {
    const { conditions } = podStatus(facts([reading]), before, start);
    return conditions
      .filter(({ type }) => before.some((known) => known.type === type))
      .map(({ type, status, lastTransitionTime }) => `${type} ${status} ${lastTransitionTime}`);
  };
  const other = 'example.com/gate True 2025-12-30T00:00:00Z';
  assert.deepEqual(timesOf(container(running, { isReady: true })), [
    'Ready True 2025-12-31T00:00:00Z',
    other,
  ]);
  assert.deepEqual(timesOf(container(running)), [`Ready False ${startText}`, other]);
});

test('the phase follows from how the containers are and what the policy says', () => {
  const cases: readonly (readonly [
    PodPhase,
    readonly ContainerReading[],
    PodFacts['restartPolicy'],
  ])[] = [
    ['Pending', [container(waiting)], 'Always'],
    ['Pending', [container(running), container(waiting)], 'Always'],
    ['Running', [container(waiting, { lastState: ended(1) })], 'Always'],
    ['Running', [container(ended(0))], 'Always'],
    ['Running', [container(ended(1))], 'OnFailure'],
    ['Succeeded', [container(ended(0))], 'OnFailure'],
    ['Failed', [container(ended(0)), container(ended(1))], 'Never'],
  ];
  for (const [phase, containers, restartPolicy] of cases)
    assert.equal(podPhase(facts(containers, { restartPolicy })), phase);
});

test('an image that is not to be had is told with those that are', () => {
  const message = missingImage('nginx:1.29');
  assert.match(message, /no image "nginx:1\.29".*lab\/web, lab\/echo, lab\/crash/);
});
