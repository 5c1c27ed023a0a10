/**
 * Looks through sources that can say what they have: what belongs to nobody goes back, what is held and not recorded
 * is recorded. A request that was given up may be carried out late, so a slot must have been nobody's for longer than
 * that can take, and by a fresh look at the cluster.
 */

import type { AllocationState, RemainingRecords } from '../decide/allocation/allocation-state.ts';
import {
  compareRecords,
  type MisplacedRecord,
  type MissingRecord,
} from '../decide/allocation/compare-records.ts';
import type { LeavingSlot } from '../decide/allocation/slot-use.ts';
import { slotKey } from '../decide/allocation/source-slots.ts';
import { isFailure, type ListOutcome, type SourceRecord } from '../ipam/address-source.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { slotFor } from './source-asks.ts';
import { graceMs, type SourceLine } from './source-line.ts';

export interface SourceAuditOptions {
  readonly line: SourceLine;
  readonly clock: Clock;
  readonly log: Log;
  /** What holds now, by a look of its own and not by what was watched; undefined where that failed. */
  readonly look: () => Promise<Pick<AllocationState, 'services' | 'pools'> | undefined>;
  /** Whether anyone has, or is about to be given, what is in the slot. */
  readonly isUsed: (slot: LeavingSlot) => boolean;
  readonly onNews: () => void;
}

export class SourceAudit {
  readonly #options: SourceAuditOptions;
  /** Since when a slot belongs to nobody (monotonic). */
  #orphans = new Map<string, number>();
  #warnings: readonly string[] = [];
  #remaining: Pick<RemainingRecords, 'records' | 'isSuspicious'> | undefined;

  #searches = 0;

  constructor(options: SourceAuditOptions) {
    this.#options = options;
  }

  /** What the owner of the group should know. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** What the last search found while no Service used the pool. */
  get remaining(): RemainingRecords | undefined {
    const { isSettled } = this.#options.line;
    return this.#remaining && { ...this.#remaining, isSettled };
  }

  /** Only a search that begins from now on counts as what remains. */
  forgetRemaining(): void {
    this.#remaining = undefined;
    this.#searches += 1;
  }

  async run(): Promise<void> {
    const { line, look, onNews } = this.#options;
    const search = this.#searches;
    const outcome = await line.run(
      'list',
      'list',
      async (source, signal) => source.list?.(signal) ?? noRecords,
    );
    if (isFailure(outcome)) return;
    // Looked at after the list: whoever is on record by then is known here.
    const state = await look();
    if (state === undefined) return;
    const records = outcome.records.map((record) => ({ ...record, ip: record.address.ip }));
    const found = compareRecords(line.pool, records, state);
    const { users, orphans, isSuspicious, missing, misplaced } = found;
    const isCurrent = users === 0 && search === this.#searches;
    this.#remaining = isCurrent ? { records: records.length, isSuspicious } : undefined;
    if (!isSuspicious) await this.#collect(orphans, outcome.records);
    const suspicion = isSuspicious ? [suspect(orphans.length, records.length)] : [];
    const unrecorded = await Promise.all(
      [...missing, ...misplaced].map((each) => this.#restore(each)),
    );
    const failed = unrecorded.flatMap((text) => text ?? []);
    this.#warnings = [...suspicion, ...someOf(failed), ...someOf(outcome.remarks ?? [])];
    onNews();
  }

  async #collect(orphans: readonly string[], records: readonly SourceRecord[]): Promise<void> {
    const now = this.#options.clock.monotonic();
    this.#orphans = new Map(orphans.map((key) => [key, this.#orphans.get(key) ?? now]));
    const due = records.filter(({ owner, family }) => {
      const since = this.#orphans.get(slotKey(owner, family));
      return since !== undefined && now - since >= graceMs;
    });
    await Promise.all(due.map((record) => this.#release(record)));
  }

  async #release(record: SourceRecord): Promise<void> {
    const { line, log, isUsed } = this.#options;
    const { owner, family, service, address } = record;
    const slot = { pool: line.pool.name, owner, family, service, sharingKey: undefined };
    const outcome = await line.run(owner, 'release', async (source, signal) =>
      isUsed({ pool: line.pool, owner, family }) ? inUse : source.release(slot, signal),
    );
    if (isFailure(outcome) || outcome === inUse) return;
    log.info('Returned an address that no Service has', {
      pool: line.pool.name,
      ip: address.ip,
      service,
    });
  }

  /** Returns what to say when it cannot be done. */
  async #restore(record: MissingRecord & Partial<MisplacedRecord>): Promise<string | undefined> {
    const { line, log } = this.#options;
    const { service, ip, family, formerOwner } = record;
    const slot = slotFor(service, line.pool, family);
    const former = formerOwner === undefined ? {} : { formerOwner };
    const outcome = await line.run(slot.owner, 'allocate', (source, signal) =>
      source.allocate({ ...slot, wish: ip, ...former }, signal),
    );
    const { key } = service;
    if (isFailure(outcome)) return `${ip} of ${key} is not recorded: ${outcome.message}`;
    log.info('Recorded an address that was not', { pool: line.pool.name, ip, service: key });
    return undefined;
  }
}

const inUse = { kind: 'released' } as const;
const noRecords: ListOutcome = { kind: 'records', records: [] };

/** A condition has room for a few. */
const most = 5;

function someOf(texts: readonly string[]): readonly string[] {
  if (texts.length <= most) return texts;
  return [...texts.slice(0, most), `and ${texts.length - most} more like these`];
}

function suspect(orphans: number, records: number): string {
  return `${orphans} of ${records} records belong to no Service: none is removed, because another cluster may have the same clusterId`;
}
