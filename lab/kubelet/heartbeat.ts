import { isAlreadyExists } from '../../src/kube/api-error.ts';
import type { Cluster } from '../../src/kube/cluster.ts';
import { OwnLease } from '../../src/kube/own-lease.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { nodes } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import {
  isReady,
  type NodeCondition,
  type NodeFacts,
  nodeObject,
  nodeStatus,
} from './node-object.ts';

export interface HeartbeatOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly facts: NodeFacts;
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}

/** After so many missed beats others call the node dead; the real ones are ten seconds and four. */
export const beatsPerLease = 4;

export const nodeLeaseNamespace = 'kube-node-lease';

/** Registers the node, then tells every so often that it lives: by its Lease, and by its status where that is not so. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #lease: OwnLease;

  constructor(options: HeartbeatOptions) {
    const { cluster, clock, facts, everyMs } = options;
    this.#options = options;
    const ref = { namespace: nodeLeaseNamespace, name: facts.name };
    // Whatever is left of an earlier boot is ours as well.
    const mayReplace = () => true;
    this.#lease = new OwnLease({ cluster, clock, ref, mayReplace, withinMs: () => everyMs });
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs, onError } = this.#options;
    while (!signal.aborted) {
      await this.beat(signal).catch((error) => signal.aborted || onError(error));
      await sleep(clock, everyMs, signal).catch(() => {});
    }
  }

  async beat(signal?: AbortSignal): Promise<void> {
    const { clock, facts, everyMs, cluster } = this.#options;
    const node = await this.#node(signal);
    const conditions = (node.status as { conditions?: NodeCondition[] } | undefined)?.conditions;
    if (!isReady(conditions ?? [])) {
      const status = nodeStatus(facts, conditions ?? [], clock.now());
      const call = { subresource: 'status', ...(signal === undefined ? {} : { signal }) } as const;
      await cluster.patch(nodes, { name: facts.name }, mergePatch({ status }), call);
    }
    const leaseDurationSeconds = Math.ceil((beatsPerLease * everyMs) / 1000);
    const spec = { holderIdentity: facts.name, leaseDurationSeconds };
    await this.#lease.write({ spec }, signal);
  }

  async #node(signal: AbortSignal | undefined): Promise<KubeObject> {
    const { cluster, facts } = this.#options;
    const call = signal === undefined ? {} : { signal };
    try {
      return await cluster.create(nodes, nodeObject(facts), call);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return cluster.get(nodes, { name: facts.name }, call);
    }
  }
}
