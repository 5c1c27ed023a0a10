/** Tells the neighbours of the addresses that this node holds. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import {
  type AnnouncementPlan,
  type AnnouncementProgress,
  type AnnouncementState,
  type Holding,
  planAnnouncements,
} from '../decide/announcement/plan-announcements.ts';
import { type DefenceState, planDefence } from '../decide/announcement/plan-defence.ts';
import type { Neighbours } from '../linux/neighbours.ts';
import { addressKey } from '../model/address.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import { familyOf, type Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import type { Log } from '../runtime/log.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { asEthernet } from './as-ethernet.ts';

export interface AnnouncerSetup {
  readonly neighbours: Neighbours;
  readonly log: Log;
  readonly metrics: AgentMetrics;
}

export interface AnnouncementRound {
  readonly decisions: readonly AddressDecision[];
  /** What the kernel has now, by `addressKey`. */
  readonly held: Pick<ReadonlySet<string>, 'has'>;
  readonly takenAt: (key: string) => number | undefined;
  readonly links: readonly Link[];
  readonly config: LocalConfig | undefined;
  readonly now: number;
}

export interface HeldRound extends Pick<AnnouncementRound, 'links' | 'now'> {
  readonly held: readonly Pick<Holding, 'ip' | 'link'>[];
}

/** A member that asks is answered so often, and not long after it asked. */
const affirmMs = 250;

/** An address, and when a member last asked for it, or was found to hold it too. */
export interface AskedFor {
  readonly ip: Ip;
  readonly at: number;
}

export class Announcer {
  readonly #setup: AnnouncerSetup;
  #progress = new Map<string, AnnouncementProgress>();
  #recent: AnnouncementState['recent'] = [];
  readonly #next = new Map<Ip, number>();
  #defence: DefenceState | undefined;
  readonly #affirmedAt = new Map<Ip, number>();

  constructor(setup: AnnouncerSetup) {
    this.#setup = setup;
  }

  /** Sends what is due; when to look again. */
  announce({ config, ...round }: AnnouncementRound): number {
    if (config === undefined) return Infinity;
    const { state, next } = this.#announce(round, config);
    this.#progress = new Map(state.progress);
    this.#next.clear();
    for (const [ip, at] of next) this.#next.set(ip, at);
    return this.nextAt;
  }

  /** The same for some addresses: the repeats of others stay planned. */
  announceSome({ config, ...round }: AnnouncementRound, ips: ReadonlySet<Ip>): void {
    if (config === undefined) return;
    const { state, next } = this.#announce(round, config);
    for (const [key, progress] of state.progress) this.#progress.set(key, progress);
    for (const ip of ips) this.#next.delete(ip);
    for (const [ip, at] of next) this.#next.set(ip, at);
  }

  /** When the next announcement is due, in ms on the monotonic clock. */
  get nextAt(): number {
    return this.#next.values().reduce((least, at) => Math.min(least, at), Infinity);
  }

  /** Addresses of which an announcement is due by then. */
  dueAt(time: number): readonly Ip[] {
    return [...this.#next].filter(([, at]) => at <= time).map(([ip]) => ip);
  }

  #announce(round: Omit<AnnouncementRound, 'config'>, config: LocalConfig): AnnouncementPlan {
    const plan = planAnnouncements(
      {
        holdings: findHoldings(round),
        announcements: config.announcements,
        maxFramesPerSecond: config.failover.maxFramesPerSecond,
        now: round.now,
      },
      { progress: this.#progress, recent: this.#recent },
    );
    this.#recent = plan.state.recent;
    for (const holding of plan.due) this.#send(holding, round.links);
    return plan;
  }

  /** What strangers were heard to claim since the last time. Sends what is due; when to look again. */
  defend(claimed: readonly Ip[], round: Omit<AnnouncementRound, 'config'>): number {
    const holdings = new Map(findHoldings(round).map((holding) => [holding.ip, holding]));
    const held = new Set(holdings.keys());
    const order = { claimed: new Set(claimed), held, now: round.now };
    const { due, state, wakeAt } = planDefence(order, this.#defence);
    this.#defence = state;
    for (const ip of due) {
      const holding = holdings.get(ip);
      if (holding !== undefined) this.#send(holding, round.links);
    }
    return wakeAt;
  }

  /** Once for each time that a member asks: it hears who answers, but not whether that one claims to hold it. */
  affirm(asked: readonly AskedFor[], round: Omit<AnnouncementRound, 'config'>): void {
    if (asked.length > 0) this.affirmHeld(asked, { ...round, held: findHoldings(round) });
  }

  /** The same where nothing can be decided yet: of what is there. */
  affirmHeld(asked: readonly AskedFor[], { held, links, now }: HeldRound): void {
    const byIp = new Map(held.map((holding) => [holding.ip, holding]));
    for (const { ip, at } of asked) {
      const holding = byIp.get(ip);
      const last = this.#affirmedAt.get(ip) ?? -Infinity;
      const isDue = at - last >= affirmMs && now - at < affirmMs;
      if (holding === undefined || !isDue) continue;
      this.#affirmedAt.set(ip, now);
      this.#send(holding, links);
    }
  }

  #send({ ip, link: name }: Pick<Holding, 'ip' | 'link'>, links: readonly Link[]): void {
    const { neighbours, log, metrics } = this.#setup;
    const link = links.filter((each) => each.name === name).flatMap(asEthernet)[0];
    if (link === undefined) return;
    const outcome = neighbours.announce({ link, ip });
    const isSent = outcome.kind === 'sent';
    metrics.countAnnouncement(familyOf(ip), isSent);
    if (isSent) log.debug('Announced', { ip, link: name });
    else log.warn('Announcement could not be sent', { ip, link: name, reason: outcome.reason });
  }
}

function findHoldings({
  decisions,
  held,
  takenAt,
}: Pick<AnnouncementRound, 'decisions' | 'held' | 'takenAt'>): readonly Holding[] {
  return decisions.flatMap(({ ip, outcome, reason, handover }): Holding[] => {
    // Who takes it over is announcing it.
    if (outcome.kind !== 'local' || reason === 'handingOver') return [];
    const key = addressKey(outcome.wanted);
    const since = handover?.role === 'settled' ? handover.at : takenAt(key);
    return held.has(key) ? [{ ip, link: outcome.wanted.link, takenAt: since }] : [];
  });
}
