/** What people are told, behind the data plane: slots on Services, Events on Services and on configurations. */

import type { ConfigChoice } from '../decide/announcement/choose-agent-config.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import type { EventFacts } from '../decide/announcement/plan-events.ts';
import type { NotePatch } from '../decide/announcement/plan-notes.ts';
import { type OfferFacts, planOfferStatus } from '../decide/announcement/plan-offer-status.ts';
import { slotHeld } from '../decide/announcement/plan-slots.ts';
import { isHandedOver } from '../decide/failover/tell-moves.ts';
import type { EventRecorder } from '../kube/event-recorder.ts';
import { apiVersionOf, type Resource } from '../kube/resource.ts';
import { lbNodeAgents, services } from '../kube/resources.ts';
import type { Ip } from '../model/ip.ts';
import { type EventReason, eventReasons } from '../model/reasons.ts';
import type { AgentMetrics } from './agent-metrics.ts';
import { NoteKeeper } from './note-keeper.ts';
import type { Scope } from './service-index.ts';
import type { ObjectPatch, SlotWriter } from './slot-writer.ts';
import { ToldEvents } from './told-events.ts';

export interface TellerSetup {
  readonly events: EventRecorder;
  readonly slots: SlotWriter;
  readonly statuses: SlotWriter;
  readonly metrics: AgentMetrics;
}

export interface News extends Pick<EventFacts, 'failures' | 'setbacks' | 'adopted'> {
  readonly snapshot: NodeSnapshot;
  readonly placing: Placing;
  /** What the kernel has now, by `addressKey`; undefined: not known. */
  readonly held: ReadonlySet<string> | undefined;
  readonly choice: ConfigChoice;
}

type Held = Pick<ReadonlySet<string>, 'has'>;
type ServiceNews = Omit<News, 'choice' | 'held'> & { readonly held: Held };

interface Steal {
  readonly ip: Ip;
  readonly former: string;
}

export class Teller {
  readonly #setup: TellerSetup;
  readonly #notes = new NoteKeeper();
  readonly #told = new ToldEvents();
  #noticed: ReadonlySet<string> = new Set();
  #stolen: ReadonlyMap<string, Steal> = new Map();

  constructor(setup: TellerSetup) {
    this.#setup = setup;
  }

  /** When there may be more to tell though nothing else changes. */
  tell({ choice, ...news }: News): number {
    this.#tellNotices(choice);
    const { held } = news;
    // Without a look at the kernel nothing new is known to be true.
    return held === undefined ? Infinity : this.#tellServices({ ...news, held });
  }

  /** Awaits the answers to what was sent, for at most so long. */
  async stop(graceMs: number): Promise<void> {
    const { slots, statuses } = this.#setup;
    await Promise.all([slots.stop(graceMs), statuses.stop(graceMs)]);
  }

  /** After a pass over some Services; `news` is about those alone. */
  tellSome(news: ServiceNews, scope: Scope): void {
    this.#tellServices(news, scope);
  }

  /** When there is more to write on Services of which `tellSome` told last, and on which. */
  get notes(): Pick<NoteKeeper, 'nextAt' | 'dueAt'> {
    return this.#notes;
  }

  #tellServices(news: ServiceNews, scope?: Scope): number {
    const { snapshot, placing, held, failures, setbacks, adopted } = news;
    const { decisions } = placing;
    const { conflicts } = snapshot.wire;
    this.#countSteals(snapshot, placing, held, scope);
    const facts = { ...snapshot, decisions, held, failures, setbacks, conflicts, adopted };
    const { patches, wakeAt } = this.#notes.plan(facts, scope);
    const versioned = withVersions(patches, snapshot);
    if (scope === undefined) this.#setup.slots.submit(versioned);
    else this.#setup.slots.submitSome(scope.services, versioned);
    for (const { service, reason, message } of this.#told.plan(facts, scope)) {
      this.#record(services, service, reason, message);
    }
    return wakeAt;
  }

  #countSteals(
    snapshot: NodeSnapshot,
    { decisions }: Placing,
    held: Held,
    scope: Scope | undefined,
  ): void {
    const { node, loadBalancers, electorate } = snapshot;
    const slots = new Map(
      loadBalancers.flatMap(({ grant }) => grant.slots.map((slot) => [slot.ip, slot.node])),
    );
    const others = [...this.#stolen].filter(([, { ip }]) => scope?.ips.has(ip) === false);
    const mine = new Map<string, Steal>(others);
    for (const decision of decisions) {
      const { ip } = decision;
      const former = slots.get(ip);
      const isTaken = former !== undefined && former !== node && !isHandedOver(decision);
      if (isTaken && slotHeld(decision, { node, held }))
        mine.set(`${ip} ${former}`, { ip, former });
    }
    for (const [key, { former }] of mine) {
      if (this.#stolen.has(key)) continue;
      // Slots stand where others can write too: only names of members become values of labels.
      const isMember = electorate.electors.some((elector) => elector.node === former);
      this.#setup.metrics.countSteal(isMember ? former : '<unknown>', node);
    }
    this.#stolen = mine;
  }

  /** Which nodes use which configuration. */
  tellOffers(facts: OfferFacts): void {
    this.#setup.statuses.submit(planOfferStatus(facts));
  }

  #tellNotices({ notices }: ConfigChoice): void {
    const keyed = notices.map((notice) => ({
      notice,
      key: `${notice.about.uid} ${notice.reason} ${notice.message}`,
    }));
    for (const { notice, key } of keyed) {
      if (this.#noticed.has(key)) continue;
      this.#record(lbNodeAgents, notice.about, notice.reason, notice.message);
    }
    this.#noticed = new Set(keyed.map(({ key }) => key));
  }

  #record(
    resource: Resource,
    about: { readonly namespace: string; readonly name: string; readonly uid: string },
    reason: EventReason,
    note: string,
  ): void {
    const { namespace, name, uid } = about;
    const { kind } = resource;
    this.#setup.events.record({
      regarding: { apiVersion: apiVersionOf(resource), kind, namespace, name, uid },
      type: eventReasons[reason],
      reason,
      action: resource === services ? 'Announce' : 'Configure',
      note,
    });
  }
}

function withVersions(
  patches: readonly NotePatch[],
  { loadBalancers }: Pick<NodeSnapshot, 'loadBalancers'>,
): readonly ObjectPatch[] {
  if (patches.length === 0) return [];
  const versions = new Map(
    loadBalancers.map(({ key, identity }) => [key, identity.resourceVersion]),
  );
  return patches.map((patch) => ({
    ...patch,
    basedOn: versions.get(`${patch.namespace}/${patch.name}`),
  }));
}
