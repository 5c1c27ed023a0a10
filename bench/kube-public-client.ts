/** The public client, @kubernetes/client-node, in the kube bench: its informer, as its documentation shows it. */

import { readFileSync } from 'node:fs';
import { cpuMs, Ledger, peakRssMb, readTask, report, rssMb } from './kube-client.ts';

interface PublicObject {
  readonly metadata: { readonly name: string; readonly annotations: Record<string, string> };
}

interface PublicInformer {
  on(verb: string, callback: (object: PublicObject) => void): void;
  start(): Promise<void>;
  list(): readonly PublicObject[];
}

interface PublicLibrary {
  readonly KubeConfig: new () => {
    loadFromOptions(options: object): void;
    makeApiClient(api: unknown): { listServiceForAllNamespaces(): Promise<unknown> };
  };
  readonly CoreV1Api: unknown;
  makeInformer(config: object, path: string, list: () => Promise<unknown>): PublicInformer;
}

const task = readTask();
const library = (await import(process.argv[3] ?? '')) as PublicLibrary;
const config = new library.KubeConfig();
config.loadFromOptions({
  clusters: [{ name: 'bench', server: task.server, caData: readFileSync(task.caFile, 'base64') }],
  users: [{ name: 'bench' }],
  contexts: [{ name: 'bench', cluster: 'bench', user: 'bench' }],
  currentContext: 'bench',
});
const core = config.makeApiClient(library.CoreV1Api);
const informer = library.makeInformer(config, '/api/v1/services', () =>
  core.listServiceForAllNamespaces(),
);
const ledger = new Ledger();
const finished = Promise.withResolvers<void>();
let isCounting = false;
for (const verb of ['add', 'update']) {
  informer.on(verb, ({ metadata }) => {
    if (!isCounting) return;
    const revision = Number(metadata.annotations['bench/revision']);
    ledger.note(metadata.name, revision);
    if (revision >= task.events) finished.resolve();
  });
}
await informer.start();
while (informer.list().length < task.services)
  await new Promise((resolve) => setTimeout(resolve, 20));
const listCpuMs = cpuMs();
await new Promise((resolve) => setTimeout(resolve, task.idleMs));
const idleRssMb = rssMb();
isCounting = true;
const { request } = await import('node:https');
request(`${task.server}/emit/${task.events}`, { ca: readFileSync(task.caFile) })
  .on('response', (response) => response.resume())
  .end();
await finished.promise;
const cpu = cpuMs();
report({
  services: informer.list().length,
  events: ledger.events,
  reordered: ledger.reordered,
  stale: 0,
  cpuMs: cpu,
  listCpuMs,
  peakRssMb: peakRssMb(),
  idleRssMb,
});
