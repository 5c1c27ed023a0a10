import { isNotFound } from '../../src/kube/api-error.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { EventRecorder } from '../../src/kube/event-recorder.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { pods } from '../../src/kube/resources.ts';
import { Store } from '../../src/kube/store.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { prefixOf } from '../../src/model/prefix.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { type ReconcileResult, Reconciler } from '../../src/runtime/reconciler.ts';
import type { NodeFacts } from './node-object.ts';
import { Pod } from './pod.ts';
import { PodNumbers } from './pod-numbers.ts';
import { type PodCondition, podStatus } from './pod-status.ts';
import { readPodWish } from './pod-wish.ts';

export interface KubeletOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  readonly facts: NodeFacts;
  readonly onError: (error: unknown) => void;
}

interface PodStatus {
  readonly phase?: string;
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly { readonly name: string; readonly restartCount: number }[];
}

/** Runs the pods that are bound to its node, and tells what becomes of them. */
export class Kubelet {
  readonly #options: KubeletOptions;
  readonly #store = new Store();
  readonly #reflector: Reflector;
  readonly #reconciler: Reconciler;
  readonly #events: EventRecorder;
  readonly #numbers = new PodNumbers();
  /** By uid: a pod may be replaced by another of its name. */
  readonly #pods = new Map<string, Pod>();
  readonly #written = new Map<string, Written>();

  constructor(options: KubeletOptions) {
    this.#options = options;
    const { cluster, clock, random, facts, onError } = options;
    const selection = { fieldSelector: `spec.nodeName=${facts.name}` };
    this.#reflector = new Reflector({
      cluster,
      resource: pods,
      store: this.#store,
      clock,
      random,
      selection,
    });
    const reporter = { controller: 'kubelet', instance: facts.name };
    this.#events = new EventRecorder({ cluster, clock, random, ...reporter });
    this.#reconciler = new Reconciler({
      clock,
      random,
      reconcile: (uid, signal) => this.#reconcile(uid, signal),
      onError: ({ error }) => onError(error),
    });
    this.#store.subscribe((_key, before, after) => {
      this.#reconciler.wake(after?.metadata.uid ?? before?.metadata.uid ?? '');
    });
  }

  get pods(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  find(namespace: string, name: string): Pod | undefined {
    return this.pods.find(({ wish }) => wish.namespace === namespace && wish.name === name);
  }

  /** Until the signal is aborted; its pods die with this process. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
    await this.#reconciler.stop();
  }

  async #reconcile(uid: string, signal: AbortSignal): Promise<ReconcileResult> {
    const object = this.#objectOf(uid);
    if (object === undefined) {
      this.#forget(uid);
      return {};
    }
    const pod = this.#pods.get(uid) ?? this.#start(object);
    if (object.metadata.deletionTimestamp !== undefined) return this.#end(object, pod, signal);
    return pod === undefined ? {} : this.#writeStatus(object, pod, signal);
  }

  #objectOf(uid: string): KubeObject | undefined {
    return this.#store.values().find(({ metadata }) => metadata.uid === uid);
  }

  /** Undefined for a pod that has had its life, or whose end came before its start. */
  #start(object: KubeObject): Pod | undefined {
    const { phase, containerStatuses = [] } = (object.status ?? {}) as PodStatus;
    const isOver = phase === 'Succeeded' || phase === 'Failed';
    if (isOver || object.metadata.deletionTimestamp !== undefined) return undefined;
    const { clock, facts } = this.#options;
    const wish = readPodWish(object);
    const { namespace, name, uid } = wish;
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
    const pod = new Pod({
      wish,
      node: facts,
      number: this.#numbers.take(),
      subnets: facts.podCidrs.map(prefixOf),
      // They had run before this kubelet, and ended with the one before it.
      restarts: Object.fromEntries(
        containerStatuses.map((each) => [each.name, each.restartCount + 1]),
      ),
      clock,
      onChange: () => this.#reconciler.wake(wish.uid),
      onEvent: (event) => this.#events.record({ ...event, regarding }),
    });
    this.#pods.set(wish.uid, pod);
    return pod;
  }

  /** The object goes when the processes have gone. */
  async #end(
    object: KubeObject,
    pod: Pod | undefined,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { namespace, name, uid = '' } = object.metadata;
    if (pod !== undefined && !pod.isOver) {
      const seconds = object.metadata['deletionGracePeriodSeconds' as keyof typeof object.metadata];
      void pod.stop(typeof seconds === 'number' ? 1000 * seconds : pod.wish.graceMs);
      return {};
    }
    const preconditions = { uid };
    const options = { graceSeconds: 0, preconditions, signal };
    await this.#options.cluster.delete(pods, { namespace, name }, options).catch(unlessGone);
    return {};
  }

  #forget(uid: string): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) return;
    // Deleted without grace: nobody waits for it any more.
    void pod.stop(0).then(() => this.#numbers.giveBack(pod.number));
    this.#pods.delete(uid);
    this.#written.delete(uid);
  }

  async #writeStatus(object: KubeObject, pod: Pod, signal: AbortSignal): Promise<ReconcileResult> {
    const { cluster, clock } = this.#options;
    const { namespace, name, uid = '' } = object.metadata;
    const { conditions = [] } = (object.status ?? {}) as PodStatus;
    const wanted = podStatus(pod.facts, conditions, clock.now());
    const text = JSON.stringify(podStatus(pod.facts, [], 0));
    const written = this.#written.get(uid);
    if (written?.text === text) {
      if (areAsWanted(conditions, wanted.conditions)) return {};
      // Somebody else has another opinion; two that insist must not wear the server out.
      const wakeAt = written.at + insistEveryMs;
      if (wakeAt > clock.monotonic()) return { wakeAt };
    }
    const call = { subresource: 'status', signal } as const;
    const patch = mergePatch({ metadata: { uid }, status: wanted });
    const answer = await cluster.patch(pods, { namespace, name }, patch, call).catch(unlessGone);
    if (answer !== undefined) this.#store.put(answer);
    this.#written.set(uid, { text, at: clock.monotonic() });
    return {};
  }
}

/** What was last written about a pod, times left out, and when. */
interface Written {
  readonly text: string;
  readonly at: number;
}

const insistEveryMs = 1000;

function areAsWanted(known: readonly PodCondition[], wanted: readonly PodCondition[]): boolean {
  return wanted.every(({ type, status }) =>
    known.some((each) => each.type === type && each.status === status),
  );
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
