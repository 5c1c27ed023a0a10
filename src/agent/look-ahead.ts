/** Asks the wire for the addresses that are given out next, in moments of its own, so that first use need not wait. */

import { upcomingAddresses } from '../decide/allocation/upcoming-addresses.ts';
import { type LookAheadPlan, planLookAhead } from '../decide/announcement/look-ahead.ts';
import {
  firstWindow,
  type LookWindow,
  resizeWindow,
  shareBudget,
} from '../decide/announcement/look-window.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { formatRange } from '../model/range.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { FreeAddresses, versionsOf } from './free-addresses.ts';
import type { WatchedObjects } from './watched-objects.ts';
import type { WireEar } from './wire-ear.ts';
import type { WireMemory } from './wire-memory.ts';

export interface LookAheadSetup {
  readonly clock: Clock;
  readonly ear: Pick<WireEar, 'ask' | 'drain' | 'forget'>;
  readonly memory: Pick<WireMemory, 'noteConflict' | 'noteProxies'>;
  readonly metrics: Pick<AgentMetrics, 'noteAdvance'>;
  readonly log: Log;
  readonly services: Pick<WatchedObjects['services'], 'subscribe'>;
  /** The Lease has something to tell. */
  readonly onConflict: () => void;
}

/** Replies to what was asked just now are there by then. */
const repliesMs = 50;

/** In a burst of new Services every pass would have something to look for: some passes share one round. */
const shortestPauseMs = 100;

export class LookAhead {
  readonly #setup: LookAheadSetup;
  readonly #free = new FreeAddresses();
  readonly #windows = new Map<string, LookWindow>();
  readonly #conflicts = new Set<Ip>();
  #last: { readonly snapshot: NodeSnapshot; readonly links: readonly Link[] } | undefined;
  #circumstances = '';
  #dueAt = -Infinity;
  #lastAt = -Infinity;
  #cancel: Cancel | undefined;

  constructor(setup: LookAheadSetup) {
    this.#setup = setup;
    setup.services.subscribe((_, before, after) => {
      this.#noteService(before?.value?.grant.ingress ?? [], after?.value?.grant.ingress ?? []);
    });
  }

  /** Free addresses that a host outside the cluster answered for. */
  get conflicts(): ReadonlySet<Ip> {
    return this.#conflicts;
  }

  /** What a Service had, and what it has. */
  #noteService(had: readonly Ip[], has: readonly Ip[]): void {
    if (had.join() === has.join()) return;
    this.#free.change(had, has);
    this.#dueAt = -Infinity;
    // Its former owner may still answer, and what was heard before it was used says nothing of now.
    for (const ip of had) if (!this.#free.isUsed(ip)) this.#setup.ear.forget(ip);
  }

  /** After a pass, when the data plane stands. */
  attend(snapshot: NodeSnapshot, links: readonly Link[]): void {
    this.#last = { snapshot, links };
    const circumstances = describeCircumstances(snapshot);
    const isNew = circumstances !== this.#circumstances;
    this.#circumstances = circumstances;
    if (isNew) this.#dueAt = -Infinity;
    this.attendAgain();
  }

  /** After a pass over some Services: nothing changed but which addresses are free. */
  attendAgain(): void {
    const now = this.#setup.clock.monotonic();
    if (this.#last === undefined || this.#dueAt > now) return;
    const restsUntil = this.#lastAt + shortestPauseMs;
    if (restsUntil > now) this.#planRound(restsUntil);
    else this.#round();
  }

  stop(): void {
    this.#cancel?.();
    this.#last = undefined;
  }

  #round(): void {
    if (this.#last === undefined) return;
    const { clock, ear } = this.#setup;
    const { links } = this.#last;
    ear.drain();
    const now = clock.monotonic();
    this.#lastAt = now;
    const snapshot = { ...this.#last.snapshot, now, wallNow: clock.now() };
    const plan = planLookAhead(snapshot, this.#findUpcoming(snapshot));
    if (plan.asks.length > 0) ear.ask(plan.asks, links);
    this.#tell(plan, snapshot);
    const soon = plan.asks.length > 0 ? clock.monotonic() + repliesMs : Infinity;
    this.#planRound(Math.min(plan.wakeAt, soon));
  }

  #findUpcoming({ pools, quarantine, wallNow, now }: NodeSnapshot) {
    this.#free.setPools(pools);
    this.#free.block([...quarantine].filter(([, until]) => until > wallNow).map(([ip]) => ip));
    const lanes = [...this.#free.lanes].map(([name, lane]) => {
      const before = this.#windows.get(name) ?? firstWindow;
      const window = resizeWindow(before, this.#free.drainTaken(name), now);
      this.#windows.set(name, window);
      return { ...lane, window };
    });
    for (const name of this.#windows.keys()) {
      if (!this.#free.lanes.has(name)) this.#windows.delete(name);
    }
    return [...shareBudget(lanes)].flatMap(([{ pool, ranges }, count]) =>
      upcomingAddresses(pool, ranges, count),
    );
  }

  #tell({ asks, conflicts, proxies }: LookAheadPlan, { wire, now }: NodeSnapshot): void {
    const { memory, log, metrics, onConflict } = this.#setup;
    for (const ip of this.#conflicts) {
      if (!wire.conflicts.has(ip) || this.#free.isUsed(ip)) this.#conflicts.delete(ip);
    }
    for (const { ip, mac } of conflicts) {
      memory.noteConflict(ip, mac, now);
      this.#conflicts.add(ip);
      log.warn('A host outside the cluster answers for a free address', { ip, mac });
    }
    for (const mac of memory.noteProxies(proxies)) {
      log.warn('Router answers for every address', { op: 'proxyArp', mac });
    }
    metrics.noteAdvance({ probes: asks.length, conflicts: conflicts.length });
    if (conflicts.length > 0) onConflict();
  }

  #planRound(at: number): void {
    const { clock } = this.#setup;
    this.#dueAt = at;
    this.#cancel?.();
    this.#cancel = clock.after(Math.max(0, at - clock.monotonic()), () => this.#round());
  }
}

/** By which it is decided who owns an address: the nodes and their networks, and the pools. */
function describeCircumstances({ electorate, pools, survey, self }: NodeSnapshot): string {
  const nodes = electorate.electors.map(({ node, bar, subnets }) => [
    node,
    bar,
    subnets.map(formatRange),
  ]);
  return JSON.stringify([nodes, versionsOf(pools), survey.kind, self.isStale]);
}
