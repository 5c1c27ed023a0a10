/** Stands in for the controller that notices when a kubelet has fallen silent. */

import { isNotFound } from '../../src/kube/api-error.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import type { LeaseObject } from '../../src/kube/lease-object.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { leases, nodes, pods } from '../../src/kube/resources.ts';
import { Store } from '../../src/kube/store.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import { timeText } from './container-reading.ts';
import { nodeLeaseNamespace } from './heartbeat.ts';
import { LeaseSightings } from './lease-sightings.ts';
import { isReady, type NodeCondition } from './node-object.ts';
import type { PodCondition } from './pod-status.ts';

export interface NodeLifecycleOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  /** After so long without a sign of life the pods of a node are deleted; the real default is five minutes. */
  readonly evictAfterMs: number;
  readonly onError: (error: unknown) => void;
}

const lookEveryMs = 250;
const taintKey = 'node.kubernetes.io/unreachable';

interface Taint {
  readonly key: string;
  readonly effect: string;
}

export class NodeLifecycle {
  readonly #options: NodeLifecycleOptions;
  readonly #nodes = new Store();
  readonly #pods = new Store();
  readonly #leases = new Store<LeaseObject>();
  readonly #sightings = new LeaseSightings();

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, onError } = this.#options;
    const reflectors = this.#reflectors();
    const running = reflectors.map((reflector) => reflector.run(signal));
    const synced = Promise.all(reflectors.map((reflector) => reflector.whenSynced()));
    await Promise.race([synced, ...running]);
    while (!signal.aborted) {
      await this.#look(signal).catch((error) => signal.aborted || onError(error));
      await sleep(clock, lookEveryMs, signal).catch(() => {});
    }
    await Promise.all(running);
  }

  #reflectors(): readonly {
    run(signal: AbortSignal): Promise<void>;
    whenSynced(): Promise<void>;
  }[] {
    const { cluster, clock, random } = this.#options;
    const shared = { cluster, clock, random };
    return [
      new Reflector({ ...shared, resource: nodes, store: this.#nodes }),
      new Reflector({ ...shared, resource: pods, store: this.#pods }),
      new Reflector({
        ...shared,
        resource: leases,
        store: this.#leases,
        selection: { namespace: nodeLeaseNamespace },
      }),
    ];
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { clock, evictAfterMs } = this.#options;
    const silent = this.#sightings.silentForMs([...this.#leases.values()], clock.monotonic());
    for (const node of [...this.#nodes.values()]) {
      const overdueMs = silent.get(node.metadata.name) ?? 0;
      if (overdueMs <= 0) await this.#welcomeBack(node, signal);
      else await this.#giveUp(node, signal);
      if (overdueMs > evictAfterMs) await this.#evict(node.metadata.name, signal);
    }
  }

  /** The kubelet itself says that it is ready again. */
  async #welcomeBack(node: KubeObject, signal: AbortSignal): Promise<void> {
    const taints = taintsOf(node);
    if (!taints.some(({ key }) => key === taintKey)) return;
    const kept = taints.filter(({ key }) => key !== taintKey);
    await this.#patchNode(node, { spec: { taints: kept } }, signal);
  }

  async #giveUp(node: KubeObject, signal: AbortSignal): Promise<void> {
    const conditions = conditionsOf<NodeCondition>(node);
    if (!isReady(conditions)) return;
    const lastTransitionTime = timeText(this.#options.clock.now());
    const reason = 'NodeStatusUnknown';
    const message = 'Kubelet stopped posting node status.';
    const unknown = conditions.map((each) => {
      return { ...each, status: 'Unknown', reason, message, lastTransitionTime };
    });
    const call = { subresource: 'status', signal } as const;
    const status = mergePatch({ status: { conditions: unknown } });
    const { cluster } = this.#options;
    this.#nodes.put(await cluster.patch(nodes, { name: node.metadata.name }, status, call));
    const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: taintKey, effect }));
    await this.#patchNode(node, { spec: { taints: [...taintsOf(node), ...taints] } }, signal);
    for (const pod of this.#podsOn(node.metadata.name)) await this.#markUnready(pod, signal);
  }

  async #patchNode({ metadata }: KubeObject, body: object, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    const patch = mergePatch({ ...body });
    this.#nodes.put(await cluster.patch(nodes, { name: metadata.name }, patch, { signal }));
  }

  /** So that nobody sends it anything: its kubelet cannot say it any more. */
  async #markUnready(pod: KubeObject, signal: AbortSignal): Promise<void> {
    const { namespace, name } = pod.metadata;
    const lastTransitionTime = timeText(this.#options.clock.now());
    const conditions = conditionsOf<PodCondition>(pod).map((each) =>
      each.type === 'Ready' ? { ...each, status: 'False', lastTransitionTime } : each,
    );
    const patch = mergePatch({ status: { conditions } });
    const call = { subresource: 'status', signal } as const;
    await this.#options.cluster.patch(pods, { namespace, name }, patch, call).catch(unlessGone);
  }

  async #evict(node: string, signal: AbortSignal): Promise<void> {
    for (const { metadata } of this.#podsOn(node)) {
      if (metadata.deletionTimestamp !== undefined) continue;
      const { namespace, name } = metadata;
      const deletion = this.#options.cluster.delete(pods, { namespace, name }, { signal });
      await deletion.catch(unlessGone);
    }
  }

  #podsOn(node: string): readonly KubeObject[] {
    const isOn = ({ spec }: KubeObject) => (spec as { nodeName?: string }).nodeName === node;
    return [...this.#pods.values()].filter(isOn);
  }
}

function taintsOf({ spec }: KubeObject): readonly Taint[] {
  return (spec as { taints?: readonly Taint[] } | undefined)?.taints ?? [];
}

function conditionsOf<T>({ status }: KubeObject): readonly T[] {
  return (status as { conditions?: readonly T[] } | undefined)?.conditions ?? [];
}

function unlessGone(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
