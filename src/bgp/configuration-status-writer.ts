/** Writes the status of BGPConfigurations, on one node for all: others would only overwrite each other. */

import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import {
  type ConfigurationStatus,
  describeConfigurations,
} from '../decide/advertisement/describe-configuration.ts';
import { ApiError, isNotFound } from '../kube/api-error.ts';
import { type Condition, setCondition } from '../kube/condition.ts';
import { mergePatch } from '../kube/patch.ts';
import { bgpConfigurations, bgpNodeStatuses } from '../kube/resources.ts';
import { fitMessage } from '../model/fit-bytes.ts';
import { formatTimestamp } from '../model/timestamp.ts';
import type { BgpSetup } from './bgp-setup.ts';
import type { KnownConfiguration } from './known-configuration.ts';

type Setup = Pick<BgpSetup, 'cluster' | 'clock' | 'log'>;

/** Sessions of other nodes are counted so often. */
const countAgainMs = 10_000;
const withinMs = 5_000;

interface Counts {
  readonly neighborCount: number;
  readonly establishedNeighbors: number;
}

export class ConfigurationStatusWriter {
  readonly #setup: Setup;
  readonly #onDone: () => void;
  #isWriting = false;
  #notBefore = -Infinity;

  constructor(setup: Setup, onDone: () => void) {
    this.#setup = setup;
    this.#onDone = onDone;
  }

  tell(record: BgpRecord, known: readonly KnownConfiguration[]): void {
    const { clock } = this.#setup;
    const wanted = describeConfigurations(record);
    const news = wanted.filter((each) => isNews(each, known));
    const isDue = news.length > 0 || clock.monotonic() >= this.#notBefore;
    if (this.#isWriting || !isDue || wanted.length === 0) return;
    void this.#write(wanted, known);
  }

  async #write(
    wanted: readonly ConfigurationStatus[],
    known: readonly KnownConfiguration[],
  ): Promise<void> {
    const { clock, log } = this.#setup;
    this.#isWriting = true;
    this.#notBefore = clock.monotonic() + countAgainMs;
    try {
      const counts = await this.#count();
      for (const [index, each] of wanted.entries()) {
        await this.#tryOne(each, known, index === 0 ? counts : undefined);
      }
    } catch (error) {
      log.warn('Status of BGPConfigurations could not be written', { error });
    } finally {
      this.#isWriting = false;
    }
    clock.after(countAgainMs, this.#onDone);
  }

  /** What the API server refuses for one says nothing about the others; that it does not answer does. */
  async #tryOne(
    wanted: ConfigurationStatus,
    known: readonly KnownConfiguration[],
    counts: Counts | undefined,
  ): Promise<void> {
    try {
      await this.#writeOne(wanted, known, counts);
    } catch (error) {
      // One that was deleted meanwhile needs none.
      if (isNotFound(error)) return;
      if (!(error instanceof ApiError) || error.status === undefined) throw error;
      const configuration = wanted.offer.identity.name;
      const { log } = this.#setup;
      log.warn('Status of a BGPConfiguration could not be written', { configuration, error });
    }
  }

  async #writeOne(
    wanted: ConfigurationStatus,
    known: readonly KnownConfiguration[],
    counts: Counts | undefined,
  ): Promise<void> {
    const { cluster, clock } = this.#setup;
    const { namespace, name, uid, generation } = wanted.offer.identity;
    const found = known.find(({ metadata }) => metadata.uid === uid);
    const before: readonly Condition[] = (found?.conditions ?? []).map(toWire);
    const conditions = wanted.conditions.reduce<readonly Condition[]>(
      (list, condition) => setCondition(list, condition, clock.now()),
      before,
    );
    const { neighborCount = null, establishedNeighbors = null } = counts ?? {};
    const routerIDSource = wanted.routerIdSource ?? null;
    const { message } = wanted;
    const written = JSON.stringify(
      [message, routerIDSource, neighborCount, establishedNeighbors].map((it) => it ?? undefined),
    );
    if (conditions === before && written === found?.written) return;
    const status = {
      observedGeneration: generation,
      conditions,
      message,
      routerIDSource,
      neighborCount,
      establishedNeighbors,
      lastReconcileTime: formatTimestamp(clock.now()),
    };
    const options = { subresource: 'status', fieldManager: 'purelb-agent', withinMs } as const;
    await cluster.patch(bgpConfigurations, { namespace, name }, mergePatch({ status }), options);
  }

  async #count(): Promise<Counts> {
    const counts = { neighborCount: 0, establishedNeighbors: 0 };
    for await (const { items } of this.#setup.cluster.list(bgpNodeStatuses)) {
      for (const { status } of items) {
        const { neighborCount, neighbors } = (status ?? {}) as NodeStatusPart;
        counts.neighborCount += neighborCount ?? 0;
        const up = (neighbors ?? []).filter(({ state }) => state === 'Established');
        counts.establishedNeighbors += up.length;
      }
    }
    return counts;
  }
}

interface NodeStatusPart {
  readonly neighborCount?: number;
  readonly neighbors?: readonly { readonly state?: string }[];
}

function toWire(condition: KnownConfiguration['conditions'][number]): Condition {
  const { type, status, reason, message, observedGeneration, changedAt } = condition;
  return {
    type,
    status,
    reason,
    message,
    lastTransitionTime: formatTimestamp(changedAt),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
  };
}

function isNews(wanted: ConfigurationStatus, known: readonly KnownConfiguration[]): boolean {
  const { uid } = wanted.offer.identity;
  const found = known.find(({ metadata }) => metadata.uid === uid)?.conditions ?? [];
  return wanted.conditions.some((each) => {
    const before = found.find(({ type }) => type === each.type);
    return (
      before?.status !== each.status ||
      before.reason !== each.reason ||
      before.message !== fitMessage(each.message) ||
      before.observedGeneration !== each.observedGeneration
    );
  });
}
