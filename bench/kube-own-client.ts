/** Our client in the kube bench: a process of its own, bundled and started as the product is. */

import { readFileSync } from 'node:fs';
import { connectCluster } from '../src/kube/connect-cluster.ts';
import { Reflector } from '../src/kube/reflector.ts';
import { services } from '../src/kube/resources.ts';
import { Store } from '../src/kube/store.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import type { Clock } from '../src/runtime/clock.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';
import { cpuMs, Ledger, peakRssMb, readTask, report, rssMb } from './kube-client.ts';
import { serviceName, serviceOfChange } from './kube-objects.ts';

/** Twenty times as fast: a storm with its pauses fits into a minute. */
class FastClock implements Clock {
  readonly #clock = new SystemClock();

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic() * 20;
  }

  after(ms: number, callback: () => void): () => void {
    return this.#clock.after(ms / 20, callback);
  }
}

/** What an agent needs of a Service. */
function project(object: KubeObject): KubeObject {
  const { metadata, spec, status } = object as KubeObject & {
    readonly spec: Record<string, unknown>;
    readonly status: { readonly loadBalancer: unknown };
  };
  const { name, namespace = '', uid = '', resourceVersion = '', annotations = {} } = metadata;
  const { type, externalTrafficPolicy, loadBalancerClass } = spec;
  return {
    metadata: { name, namespace, uid, resourceVersion, annotations: own(annotations) },
    spec: { type, externalTrafficPolicy, loadBalancerClass },
    status: { loadBalancer: status.loadBalancer },
  };
}

function own(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name in annotations) {
    if (name.startsWith('purelb.io/') || name === 'bench/revision') {
      kept[name] = annotations[name] ?? '';
    }
  }
  return kept;
}

const task = readTask();
const clock = task.isStorm ? new FastClock() : new SystemClock();
const config = { server: task.server, ca: { text: readFileSync(task.caFile, 'utf8') } };
const { cluster } = connectCluster(config, clock);
const store = new Store({ project });

function revisionIn(object: KubeObject | undefined): number {
  return Number(object?.metadata.annotations?.['bench/revision']);
}

/** Every Service must be as its last change left it. */
function countStale(): number {
  const wanted = new Map<string, number>();
  for (let change = 1; change <= task.events; change += 1) {
    wanted.set(serviceName(serviceOfChange(change, task.services)), change);
  }
  let stale = 0;
  for (const object of store.values()) {
    if (revisionIn(object) !== (wanted.get(object.metadata.name) ?? 0)) stale += 1;
  }
  return stale;
}

/** Counts changes until the last one has come. */
async function receiveChanges(ledger: Ledger): Promise<void> {
  const finished = Promise.withResolvers<void>();
  store.subscribe((_, __, after) => {
    if (after === undefined) return;
    ledger.note(after.metadata.name, revisionIn(after));
    if (revisionIn(after) >= task.events) finished.resolve();
  });
  void cluster.getText(`/emit/${task.events}`, { withinMs: 3_600_000 }).catch(() => {});
  await finished.promise;
}

async function main(): Promise<void> {
  const options = { cluster, resource: services, store, clock, random: Math.random };
  const reflector = new Reflector(options);
  void reflector.run(new AbortController().signal);
  await reflector.whenSynced();
  const listCpuMs = cpuMs();
  await new Promise((resolve) => setTimeout(resolve, task.idleMs));
  const idleRssMb = rssMb();
  const ledger = new Ledger();
  if (task.events > 0) await receiveChanges(ledger);
  const { events, reordered } = ledger;
  const costs = { cpuMs: cpuMs(), listCpuMs, peakRssMb: peakRssMb(), idleRssMb };
  report({ services: store.size, events, reordered, stale: countStale(), ...costs });
}

void main();
