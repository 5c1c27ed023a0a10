/** Writes this node's BGPNodeStatus: when something changed, at most once a second, and as a sign of life. */

import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import { describeNode, type NodeDescription } from '../decide/advertisement/describe-node.ts';
import { isNotFound } from '../kube/api-error.ts';
import { type Condition, setCondition } from '../kube/condition.ts';
import { mergePatch } from '../kube/patch.ts';
import { bgpNodeStatuses } from '../kube/resources.ts';
import { formatTimestamp } from '../model/timestamp.ts';
import type { BgpSetup } from './bgp-setup.ts';

type Setup = Pick<BgpSetup, 'cluster' | 'clock' | 'log' | 'metrics' | 'node'>;

const usualHeartbeatSeconds = 60;
const shortestGapMs = 1_000;
const retryMs = 10_000;
const withinMs = 5_000;

export class NodeStatusWriter {
  readonly #setup: Setup;
  readonly #onDone: () => void;
  #conditions: readonly Condition[] = [];
  #written = '';
  #writtenAt = -Infinity;
  #notBefore = -Infinity;
  #isWriting = false;

  constructor(setup: Setup, onDone: () => void) {
    this.#setup = setup;
    this.#onDone = onDone;
  }

  /** When it wants to be asked again. */
  tell(record: BgpRecord, nodeUid: string): number {
    const wanted = record.choice.config?.global.nodeStatus;
    if (wanted?.isEnabled === false) return Infinity;
    if (record.choice.chosen === undefined && this.#written === '') return Infinity;
    const heartbeatMs = (wanted?.heartbeatSeconds ?? usualHeartbeatSeconds) * 1000;
    const now = this.#setup.clock.monotonic();
    const description = describeNode(this.#setup.node, record);
    const isNews = JSON.stringify(description) !== this.#written;
    const dueAt = isNews
      ? this.#notBefore
      : Math.max(this.#notBefore, this.#writtenAt + heartbeatMs);
    if (now < dueAt || this.#isWriting) return Math.max(dueAt, now + shortestGapMs);
    void this.#write(description, nodeUid);
    return now + heartbeatMs;
  }

  /** The last word of an agent that leaves for good. */
  async writeLast(record: BgpRecord | undefined): Promise<void> {
    if (record === undefined || this.#written === '') return;
    const { status } = describeNode(this.#setup.node, record);
    const verdict = {
      isHealthy: false,
      reason: 'AgentShutdown',
      message: 'the agent of this node was removed',
    };
    await this.#write({ status: { ...status, healthy: false }, verdict }, '');
  }

  async #write(description: NodeDescription, nodeUid: string): Promise<void> {
    const { clock, metrics, log } = this.#setup;
    this.#isWriting = true;
    try {
      await this.#send(description, nodeUid);
      this.#written = JSON.stringify(description);
      this.#writtenAt = clock.monotonic();
      this.#notBefore = this.#writtenAt + shortestGapMs;
      metrics.statusWrites.with({ result: 'success' }).add();
      metrics.noteStatusWritten(clock.now());
    } catch (error) {
      metrics.statusWrites.with({ result: 'error' }).add();
      log.warn('BGPNodeStatus could not be written', { error });
      this.#notBefore = clock.monotonic() + retryMs;
    } finally {
      this.#isWriting = false;
      // What changed meanwhile.
      this.#onDone();
    }
  }

  async #send({ status, verdict }: NodeDescription, nodeUid: string): Promise<void> {
    const { cluster, clock, node } = this.#setup;
    const { isHealthy, reason, message } = verdict;
    this.#conditions = setCondition(
      this.#conditions,
      { type: 'Ready', status: isHealthy ? 'True' : 'False', reason, message },
      clock.now(),
    );
    const lastUpdated = formatTimestamp(clock.now());
    const patch = mergePatch({ status: { ...status, lastUpdated, conditions: this.#conditions } });
    const options = { subresource: 'status', fieldManager: 'purelb-agent', withinMs } as const;
    try {
      await cluster.patch(bgpNodeStatuses, { name: node }, patch, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(nodeUid);
      await cluster.patch(bgpNodeStatuses, { name: node }, patch, options);
    }
  }

  /** It goes with its node. */
  async #create(nodeUid: string): Promise<void> {
    const { cluster, node } = this.#setup;
    const ownerReferences =
      nodeUid === '' ? [] : [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid }];
    await cluster.create(
      bgpNodeStatuses,
      {
        apiVersion: 'bgp.purelb.io/v1',
        kind: 'BGPNodeStatus',
        metadata: { name: node, ownerReferences },
        spec: {},
      },
      { fieldManager: 'purelb-agent', withinMs },
    );
  }
}
