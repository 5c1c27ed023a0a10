/** A reflector on a scripted API server and a manual clock, with what it saw as text. */

import type { KubeObject } from '../model/kube-object.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { HttpCluster } from './http-cluster.ts';
import { Reflector } from './reflector.ts';
import type { ReflectorObservation } from './reflector-observation.ts';
import { services } from './resources.ts';
import { ScriptedApi } from './scripted-api.fixture.ts';
import { Store } from './store.ts';

export interface ReflectorBench {
  readonly clock: ManualClock;
  readonly api: ScriptedApi;
  readonly cluster: HttpCluster;
  readonly store: Store;
  readonly reflector: Reflector;
  /** Changes of the store, such as `+a 1`, `~a 1→2`, `-a 2`: name and spec. */
  readonly seen: string[];
  readonly observed: ReflectorObservation[];
  stop(): Promise<void>;
}

export function startReflector({
  api = new ScriptedApi(),
  clock = new ManualClock(),
  random = (): number => 0,
  pageSize = 2,
} = {}): ReflectorBench {
  const cluster = new HttpCluster({ transport: api, clock });
  const store = new Store();
  const seen: string[] = [];
  const observed: ReflectorObservation[] = [];
  store.subscribe((key, before, after) => seen.push(describeChange(key, before, after)));
  const observe = (observation: ReflectorObservation) => observed.push(observation);
  const options = { cluster, resource: services, store, clock, random, pageSize, observe };
  const reflector = new Reflector(options);
  const controller = new AbortController();
  const running = reflector.run(controller.signal);
  const stop = async () => {
    controller.abort(new Error('test is over'));
    await running;
  };
  return { clock, api, cluster, store, reflector, seen, observed, stop };
}

function describeChange(
  key: string,
  before: KubeObject | undefined,
  after: KubeObject | undefined,
) {
  const name = key.replace('default/', '');
  if (before === undefined) return `+${name} ${after?.spec}`;
  if (after === undefined) return `-${name} ${before.spec}`;
  return `~${name} ${before.spec}→${after.spec}`;
}

/** The store as text, sorted. */
export function contents(store: Store): readonly string[] {
  return [...store.entries()].map(([key, { spec }]) => `${key.split('/')[1]} ${spec}`).sort();
}

/** What the server holds, in the same form. */
export function truth(api: ScriptedApi): readonly string[] {
  return [...api.objects].map(([name, { spec }]) => `${name} ${spec}`).sort();
}
