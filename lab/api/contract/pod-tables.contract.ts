import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../json.ts';
import type { World } from './contract-world.ts';
import { textOf, write } from './table-text.ts';

const containers = [
  { name: 'main', image: 'web:1' },
  { name: 'side', image: 'side:2' },
];
const image = { image: '', imageID: '' };

/** Of the container `main` unless said otherwise. */
const state = (what: JsonObject, more: JsonObject = {}): JsonObject => ({
  ...image,
  name: 'main',
  ready: false,
  restartCount: 0,
  state: what,
  ...more,
});
const running = state({ running: {} }, { ready: true });

/** Pods as a table shows them. */
export function podTablesContract(world: World): void {
  /** Where pods can be created, and how. */
  async function room() {
    const place = `/api/v1/namespaces/${await world.namespace()}`;
    await world.admin.post(`${place}/serviceaccounts`, { metadata: { name: 'default' } });
    const path = `${place}/pods`;
    const pod = (name: string, status: JsonObject, spec: JsonObject = {}) =>
      write(world, { path, body: { metadata: { name }, spec: { containers, ...spec } }, status });
    const lines = async () => {
      const { body } = await world.admin.table(path);
      return textOf(body).map((line) => line.replace(/\d+s ago/, 'AGE ago'));
    };
    return { path, pod, lines };
  }

  test('ready containers and the word that says how a pod is', async () => {
    const { pod, lines } = await room();
    const finishedAt = new Date(Date.now() - 90_000).toISOString().replace(/\.\d+/, '');
    await pod('a-pending', {});
    await pod('b-running', {
      phase: 'Running',
      podIPs: [{ ip: '192.0.2.7' }],
      podIP: '192.0.2.7',
      containerStatuses: [running, { ...running, name: 'side', ready: false }],
    });
    const crashing = state(
      { waiting: { reason: 'CrashLoopBackOff' } },
      { restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt } } },
    );
    await pod('c-crashing', { phase: 'Running', containerStatuses: [crashing] });
    const done = state({ terminated: { exitCode: 0, reason: 'Completed' } });
    await pod('d-done', { phase: 'Succeeded', containerStatuses: [done] });
    const failed = state({ terminated: { exitCode: 3 } });
    await pod('e-failed', { phase: 'Failed', containerStatuses: [failed] });
    await pod('f-killed', {
      phase: 'Failed',
      containerStatuses: [state({ terminated: { exitCode: 137, signal: 9 } })],
    });
    await pod('g-evicted', { phase: 'Failed', reason: 'Evicted' });
    const rest = 'AGE | <none> | <none> | <none> | <none>';
    assert.deepEqual(await lines(), [
      'Name:string:0 | Ready:string:0 | Status:string:0 | Restarts:string:0 | Age:string:0 | IP:string:1 | Node:string:1 | Nominated Node:string:1 | Readiness Gates:string:1',
      `a-pending | 0/2 | Pending | 0 | ${rest}`,
      'b-running | 1/2 | Running | 0 | AGE | 192.0.2.7 | <none> | <none> | <none>',
      `c-crashing | 0/2 | CrashLoopBackOff | 3 (AGE ago) | ${rest}`,
      `d-done | 0/2 | Completed | 0 | ${rest}`,
      `e-failed | 0/2 | ExitCode:3 | 0 | ${rest}`,
      `f-killed | 0/2 | Signal:9 | 0 | ${rest}`,
      `g-evicted | 0/2 | Evicted | 0 | ${rest}`,
    ]);
  });

  test('containers that run before the others, or beside them', async () => {
    const { pod, lines } = await room();
    const initContainers = [
      { name: 'one', image: 'init:1' },
      { name: 'two', image: 'init:1', restartPolicy: 'Always' },
    ];
    const init = (name: string, statuses: readonly JsonObject[], more: JsonObject = {}) =>
      pod(
        name,
        { phase: 'Pending', initContainerStatuses: [...statuses], ...more },
        { initContainers },
      );
    const first = (what: JsonObject, more: JsonObject = {}) =>
      state(what, { name: 'one', ...more });
    const over = first({ terminated: { exitCode: 0, reason: 'Completed' } });
    const beside = state({ running: {} }, { name: 'two', ready: true, started: true });
    await init('a-waiting', [first({ waiting: { reason: 'PodInitializing' } })]);
    await init('b-pulling', [first({ waiting: { reason: 'ErrImagePull' } })]);
    await init('c-failed', [first({ terminated: { exitCode: 2 } }, { restartCount: 4 })]);
    await init('d-second', [over, state({ waiting: {} }, { name: 'two' })]);
    const restarted = { ...beside, restartCount: 2 };
    await init('e-running', [over, restarted], { phase: 'Running', containerStatuses: [running] });
    const rows = (await lines()).slice(1).map((line) => line.split(' | ').slice(0, 4).join(' | '));
    assert.deepEqual(rows, [
      'a-waiting | 0/3 | Init:0/2 | 0',
      'b-pulling | 0/3 | Init:ErrImagePull | 0',
      'c-failed | 0/3 | Init:ExitCode:2 | 4',
      'd-second | 0/3 | Init:1/2 | 0',
      'e-running | 2/3 | Running | 2',
    ]);
  });

  test('half done, gated, about to end', async () => {
    const { path, pod, lines } = await room();
    const ready = [{ type: 'Ready', status: 'True' }];
    const done = state({ terminated: { exitCode: 0, reason: 'Completed' } });
    const other = { ...running, name: 'side' };
    const half = { phase: 'Running', containerStatuses: [done, other] };
    await pod('a-half', { ...half, conditions: ready });
    await pod('b-half-unready', half);
    const failed = state({ terminated: { exitCode: 1, reason: 'Error' } }, { name: 'side' });
    await pod('c-half-failed', { phase: 'Running', containerStatuses: [done, failed] });
    const readinessGates = [{ conditionType: 'a.example' }, { conditionType: 'b.example' }];
    const gate = { type: 'b.example', status: 'True' };
    await pod('d-gates', { phase: 'Running', conditions: [gate] }, { readinessGates });
    await pod('e-ending', { phase: 'Running' }, { nodeName: 'n1' });
    await pod('f-ended', { phase: 'Succeeded' }, { nodeName: 'n1' });
    for (const name of ['e-ending', 'f-ended']) await world.admin.delete(`${path}/${name}`);
    const rows = (await lines()).slice(1).map((line) => {
      const cells = line.split(' | ');
      return [0, 1, 2, 6, 8].map((index) => cells[index]).join(' | ');
    });
    assert.deepEqual(rows, [
      'a-half | 1/2 | Running | <none> | <none>',
      'b-half-unready | 1/2 | NotReady | <none> | <none>',
      'c-half-failed | 0/2 | Error | <none> | <none>',
      'd-gates | 0/2 | Running | <none> | 1/2',
      'e-ending | 0/2 | Terminating | n1 | <none>',
    ]);
  });
}
