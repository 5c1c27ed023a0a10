/** What the allocator's bench runs on: a real API server where its programs are there, else the embedded one. */

import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from '../lab/api/start-api.ts';
import { addressesOf } from '../lab/cluster/workload.ts';
import { missingBinaries } from '../lab/control-plane/binaries.ts';
import { startControlPlane } from '../lab/control-plane/control-plane.ts';
import { services } from '../src/kube/resources.ts';
import type { WatchEvent } from '../src/kube/watch-event.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { AllocatorWorld, allocatorUser } from '../test/allocator/allocator-world.ts';

export interface BenchCluster {
  readonly world: AllocatorWorld;
  readonly isReal: boolean;
  /** Writes by the allocator so far, by what was written: `patch services/status`. */
  writes(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const writeVerbs = new Set(['create', 'update', 'patch', 'delete']);

export async function openBenchCluster(): Promise<BenchCluster> {
  const cluster =
    missingBinaries('etcd', 'kube-apiserver') === false ? await openReal() : await openEmbedded();
  await cluster.world.prepare();
  return cluster;
}

async function openReal(): Promise<BenchCluster> {
  const users = { [allocatorUser]: [] };
  const api = await startControlPlane({ authorization: 'rbac', users, auditLog: true });
  const { url, ca, adminToken } = api;
  const allocatorToken = api.token(allocatorUser);
  const world = new AllocatorWorld({ url, ca, adminToken, allocatorToken });
  const writes = () => {
    const own = api.auditEntries().filter(({ user }) => user === allocatorUser);
    return countWrites(own.map(({ verb, resource }) => [`${verb} ${resource}`, 1]));
  };
  return { world, isReal: true, writes, stop: () => stop(world, api) };
}

async function openEmbedded(): Promise<BenchCluster> {
  const api = await startApi({ rbac: true, tls: true });
  const allocatorToken = api.token(allocatorUser);
  const { url, ca, adminToken } = api;
  const world = new AllocatorWorld({ url, ca, adminToken, allocatorToken });
  const writes = () => {
    const own = Object.entries(api.audit.counts()).filter(([key]) => key.startsWith(allocatorUser));
    return countWrites(own.map(([key, count]) => [key.slice(allocatorUser.length + 1), count]));
  };
  return { world, isReal: false, writes, stop: () => stop(world, api) };
}

function countWrites(entries: readonly (readonly [string, number])[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [what, count] of entries) {
    const [verb = ''] = what.split(' ');
    if (writeVerbs.has(verb)) counts.set(what, (counts.get(what) ?? 0) + count);
  }
  return counts;
}

async function stop(world: AllocatorWorld, api: { stop(): Promise<void> }): Promise<void> {
  world.close();
  await api.stop();
}

/** Resolves for each Service when its address is seen in its status, by a watch of its own. */
export class AddressWatch {
  readonly #world: Pick<AllocatorWorld, 'cluster'>;
  readonly #stopping = new AbortController();
  readonly #waiting = new Map<string, (ip: string) => void>();
  readonly #seen = new Map<string, string>();
  readonly #createdAt = new Map<string, number>();

  constructor(world: Pick<AllocatorWorld, 'cluster'>) {
    this.#world = world;
  }

  /** Resolves when the watch is open. */
  async start(): Promise<void> {
    const opened = Promise.withResolvers<void>();
    void this.#run(opened.resolve).catch(opened.reject);
    await opened.promise;
  }

  async #run(onOpen: () => void): Promise<void> {
    const { signal } = this.#stopping;
    const options = {
      timeoutSeconds: 3_600,
      silenceMs: 150_000,
      signal,
      isWithInitialEvents: true,
    };
    const onEvents = (events: readonly WatchEvent<KubeObject>[]) => {
      for (const event of events) {
        if (event.type === 'BOOKMARK') onOpen();
        else if (event.type !== 'ERROR') this.#note(event.object);
      }
    };
    // A watch that ends is opened again: on a busy machine the API server may end it early.
    while (!signal.aborted) {
      await this.#world.cluster.watch(services, options, onEvents).catch(() => sleep(100));
    }
  }

  /** When the Service itself was first seen, whatever was in its status. */
  createdAt(name: string): number {
    return this.#createdAt.get(name) ?? Number.NaN;
  }

  #note(object: KubeObject): void {
    const { metadata } = object;
    if (!this.#createdAt.has(metadata.name)) {
      this.#createdAt.set(metadata.name, performance.now());
    }
    const [ip] = addressesOf(object);
    if (ip === undefined) return;
    this.#seen.set(metadata.name, ip);
    this.#waiting.get(metadata.name)?.(ip);
  }

  /** With the first address of the Service. */
  async whenSeen(name: string): Promise<string> {
    const seen = this.#seen.get(name);
    if (seen !== undefined) return seen;
    const ip = await new Promise<string>((resolve) => this.#waiting.set(name, resolve));
    this.#waiting.delete(name);
    return ip;
  }

  stop(): void {
    this.#stopping.abort();
  }
}
