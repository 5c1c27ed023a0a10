/**
 * The passes of an agent, over everything or over some Services: what was watched, read and heard becomes changes of the
 * kernel and news for the others. What the next pass needs to know of the last one is kept here.
 */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import {
  findFailing,
  nextTryAt,
  noteSetbacks,
  type Setbacks,
} from '../decide/announcement/give-way.ts';
import { encodeSubnets } from '../decide/announcement/local-subnets.ts';
import { needEndpoints, type Placing } from '../decide/announcement/place-addresses.ts';
import type { AddressPlan } from '../decide/announcement/plan-addresses.ts';
import { planGuard } from '../decide/announcement/plan-guard.ts';
import { findStale } from '../decide/announcement/stale-decisions.ts';
import type { KernelView } from '../decide/announcement/survey-links.ts';
import { findServing, findUnmarked } from '../decide/announcement/unmarked-copies.ts';
import type { HeldAddress, WantedAddress } from '../model/address.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import { encodeConflicts } from '../model/conflict.ts';
import { encodeFailing } from '../model/failing-addresses.ts';
import { encodeMemberLinks } from '../model/member-links.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';
import { decidePass } from './decide-pass.ts';
import { KeptPass } from './kept-pass.ts';
import { longestSleep } from './longest-sleep.ts';
import { decideAgain, type PartialOutcome, passOverSome } from './partial-pass.ts';
import type { PassRecord } from './pass-record.ts';
import type { Scope } from './service-index.ts';
import {
  type ClusterView,
  type MachineView,
  valuesOf,
  viewCluster,
  viewMachine,
} from './snapshot.ts';
import { type PassResult, tellEveryone } from './tell-everyone.ts';
import type { PassPlans } from './wake-count.ts';

const retryMs = 1_000;
/** Of the differences that one audit finds. */
const mostTold = 10;

/** Plans that are about single addresses; any other calls for a pass over everything. */
const ofAddresses: ReadonlySet<string> = new Set(['placement', 'announcing', 'noting', 'watching']);

export class Passes {
  readonly #setup: AgentSetup;
  readonly #parts: AgentParts;
  #config: LocalConfig | undefined;
  #setbacks: Setbacks = new Map();
  /** Of the last pass that ended well; undefined: the next one is over everything. */
  #kept: KeptPass | undefined;
  #last: PassRecord | undefined;

  constructor(setup: AgentSetup, parts: AgentParts) {
    this.#setup = setup;
    this.#parts = parts;
  }

  get config(): LocalConfig | undefined {
    return this.#config;
  }

  /** What the last pass saw and decided. */
  get last(): PassRecord | undefined {
    return this.#kept?.record ?? this.#last;
  }

  /** What BGP goes by: the facts of the last pass over everything, with the Services of now. */
  get bgpFacts(): Pick<PassRecord, 'cluster' | 'snapshot'> | undefined {
    const whole = this.#kept?.whole ?? this.#last;
    if (whole === undefined) return undefined;
    const loadBalancers = valuesOf(this.#parts.objects.services);
    const { cluster, snapshot } = whole;
    return {
      cluster: { ...cluster, loadBalancers },
      snapshot: { ...snapshot, loadBalancers },
    };
  }

  /** Over everything, whatever changed: this process may have missed something. */
  distrust(): void {
    this.#kept = undefined;
  }

  /** Over what was noted as changed and what is due. Returns when the next pass is due, by reason. */
  async pass(startedAt: number): Promise<PassPlans> {
    const kept = this.#kept;
    if (kept !== undefined && this.#isAuditDue(kept, startedAt)) this.#audit(kept);
    const scope = this.#takeScope(kept, startedAt);
    const outcome = kept && scope && (await this.#passOverSome(kept, scope));
    if (outcome?.kind === 'done') return outcome.plans;
    return this.#passOverAll(startedAt, outcome === undefined ? kept : undefined);
  }

  /** Undefined: everything. */
  #takeScope(kept: KeptPass | undefined, now: number): Scope | undefined {
    const { scope, announcer, teller } = this.#parts;
    const plans = Object.entries(kept?.plans ?? {});
    if (plans.some(([reason, at]) => at <= now && !ofAddresses.has(reason))) scope.noteAll();
    const ips = [...(kept?.due(now) ?? []), ...announcer.dueAt(now)];
    return scope.take({ ips, services: teller.notes.dueAt(now) });
  }

  async #passOverSome(kept: KeptPass, scope: Scope): Promise<PartialOutcome> {
    // Should it fail half-way, nothing is relied on.
    this.#kept = undefined;
    const outcome = await passOverSome(this.#setup, this.#parts, kept, scope);
    if (outcome?.kind === 'unsure') this.#noteFailed(outcome.decisions, kept.heldOf(scope.ips, 0));
    if (outcome?.kind !== 'done') return outcome;
    kept.plans = outcome.plans;
    this.#kept = kept;
    if (this.#setup.auditsEveryPass === true) this.#audit(kept);
    return outcome;
  }

  #isAuditDue({ plans }: KeptPass, now: number): boolean {
    return (plans.audit ?? Infinity) <= now;
  }

  /** What was kept must be what would be decided now. Not while something waits to be decided. */
  #audit(kept: KeptPass): void {
    const { clock, log, metrics } = this.#setup;
    const decisions = decideAgain(this.#setup, this.#parts, kept);
    if (!this.#parts.scope.isEmpty) return;
    const stale = findStale(kept.decisions, decisions, clock.monotonic());
    metrics.auditDifferences.add(stale.length);
    for (const difference of stale.slice(0, mostTold)) {
      log.error('Kept decision is out of date', { op: 'auditDifference', ...difference });
    }
  }

  /** `kept`: what the passes since the last one over everything came to. */
  async #passOverAll(startedAt: number, kept: KeptPass | undefined): Promise<PassPlans> {
    const { clock } = this.#setup;
    this.#kept = undefined;
    const view = await this.#parts.reader.read();
    const readAt = clock.monotonic();
    const done = await this.#decideAndApply(view, startedAt);
    if (done === undefined) return { retry: startedAt };
    const now = clock.monotonic();
    const plans = { ...done.plans, audit: now + longestSleep(now - startedAt) };
    const number = (kept?.record.number ?? this.#last?.number ?? 0) + 1;
    this.#last = { ...done.record, tookMs: now - startedAt, number, parts: 0 };
    this.#kept = new KeptPass(this.#last, plans, readAt);
    return plans;
  }

  /** Undefined: this process stood still meanwhile, and what it decided may be out of date. */
  async #decideAndApply(view: KernelView, startedAt: number) {
    const { clock, node, installNamespace } = this.#setup;
    const { objects, reader, members, endpoints, keeper, self } = this.#parts;
    const { virtualLink, guard } = this.#parts;
    const cluster = viewCluster(objects, node, installNamespace);
    this.#config = cluster.choice.config;
    const links = this.#parts.links.judge(view.links, this.#config?.failover);
    const machine = viewMachine(view, cluster.choice, links.health);
    await virtualLink.ensure(this.#config, view);
    this.#promise(cluster, machine);
    const settled = endpoints.look(needEndpoints(cluster));
    const seen = { cluster, machine, ...members.judge(), endpoints: settled };
    const state = { setbacks: this.#setbacks, failover: this.#config?.failover };
    const decided = decidePass(this.#setup, this.#parts, seen, state);
    const { snapshot, placing, plan, askAt } = decided;
    await guard.keep(planGuard(snapshot, placing));
    if (!self.hasRunSince(startedAt)) return undefined;
    const serving = await this.#apply(plan, placing);
    await virtualLink.removeFormer();
    const held = plan.changes.length > 0 ? await reader.readAddresses() : view.addresses;
    this.#noteSetbacks(cluster, machine, { placing, held });
    if (!self.hasRunSince(startedAt)) return undefined;
    const setbacks = this.#setbacks;
    const result = { cluster, machine, snapshot, placing, held, serving, setbacks };
    const told = tellEveryone(this.#setup, this.#parts, result);
    const watched = { ...seen, placing, wire: snapshot.wire, timings: state.failover };
    const passingOver = this.#parts.failover.attend(watched);
    this.#parts.lookAhead.attend(snapshot, view.links ?? []);
    const isUnread = machine.survey.kind === 'unknown' || held === undefined;
    const now = clock.monotonic();
    const retryAt = isUnread || keeper.failures.size > 0 ? now + retryMs : Infinity;
    const plans: PassPlans = {
      kernelRead: Math.min(reader.wakeAt, links.wakeAt),
      endpointsSettle: settled?.wakeAt ?? Infinity,
      placement: placing.wakeAt,
      lifetimes: plan.wakeAt,
      ...told,
      asking: askAt,
      passingOver,
      retry: Math.min(nextTryAt(setbacks, now), retryAt),
    };
    return { plans, record: { ...result, ...seen } };
  }

  /** A copy that PureLB did not put there serves in place of its own: which do. */
  async #apply(plan: AddressPlan, { decisions }: Placing): Promise<readonly WantedAddress[]> {
    const serving = findServing(plan.blocked, decisions);
    const blocked = plan.blocked.filter((address) => !serving.includes(address));
    await this.#parts.keeper.apply({ ...plan, blocked }, decisions);
    return serving;
  }

  #promise(cluster: ClusterView, { subnets, links, kernel }: MachineView): void {
    if (subnets === undefined || links === undefined) return;
    this.#parts.membership.promise({
      subnets: this.#parts.departure.isUnderWay ? '' : encodeSubnets(subnets.ready),
      links: encodeMemberLinks(links),
      failing: encodeFailing(findFailing(this.#setbacks, this.#setup.clock.monotonic())),
      unmarked: encodeFailing(findUnmarked(kernel, cluster.loadBalancers).map(({ ip }) => ip)),
      handing: this.#parts.moves.handing,
      peerKeys: this.#setup.keys.names.join(),
      conflicts: encodeConflicts(this.#parts.memory.reports),
      nodeUid: cluster.nodes.find(({ name }) => name === this.#setup.node)?.uid ?? '',
    });
  }

  /** What the kernel refused. After a pass over some Services, the pass over everything that follows gives way. */
  #noteFailed(decisions: readonly AddressDecision[], held: PassResult['held']): void {
    const { node, clock } = this.#setup;
    const { failures } = this.#parts.keeper;
    const facts = { node, decisions, held, failures, now: clock.monotonic() };
    this.#setbacks = noteSetbacks(facts, this.#setbacks);
  }

  /** The others are told at once of what this node cannot do. */
  #noteSetbacks(
    cluster: ClusterView,
    machine: MachineView,
    { placing, held }: Pick<PassResult, 'placing' | 'held'>,
  ): void {
    const { keeper, membership } = this.#parts;
    const promise = membership.lifetimePromise;
    const isNews = held !== undefined && keeper.noteHeld(this.locals(held), promise);
    // While the Lease cannot be written, it is tried each second anyway.
    if (isNews || (keeper.isOffering && !promise.isFailing)) membership.renewSoon();
    this.#noteFailed(placing.decisions, held);
    this.#promise(cluster, machine);
  }

  /** Without those on the virtual link. */
  locals(held: readonly HeldAddress[]): readonly HeldAddress[] {
    return held.filter(({ link }) => link !== this.#parts.virtualLink.name);
  }
}
