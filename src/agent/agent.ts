/** One node's part: reads the cluster, the kernel and the wire, decides, changes the kernel, tells the others. */

import {
  findFailing,
  nextTryAt,
  noteSetbacks,
  type Setbacks,
} from '../decide/announcement/give-way.ts';
import { unpromisedSeconds } from '../decide/announcement/lifetime-promise.ts';
import { encodeSubnets } from '../decide/announcement/local-subnets.ts';
import { needEndpoints, type Placing } from '../decide/announcement/place-addresses.ts';
import type { AddressPlan } from '../decide/announcement/plan-addresses.ts';
import { planGuard } from '../decide/announcement/plan-guard.ts';
import type { ShutdownChoice } from '../decide/announcement/shutdown-policy.ts';
import type { KernelView } from '../decide/announcement/survey-links.ts';
import { findServing, findUnmarked } from '../decide/announcement/unmarked-copies.ts';
import { type HeldAddress, isHeldByUs, type WantedAddress } from '../model/address.ts';
import type { LocalConfig } from '../model/agent-config.ts';
import { encodeConflicts } from '../model/conflict.ts';
import { encodeFailing } from '../model/failing-addresses.ts';
import { encodeMemberLinks } from '../model/member-links.ts';
import { type ReconcileResult, Reconciler } from '../runtime/reconciler.ts';
import { AddressAdoption } from './adopt-addresses.ts';
import { type AgentParts, type AgentSetup, assemble } from './agent-parts.ts';
import { decidePass } from './decide-pass.ts';
import { chooseLeaving, leaveAddresses } from './leave-addresses.ts';
import { tellBgp } from './leave-bgp.ts';
import { longestSleep } from './longest-sleep.ts';
import { findOwn } from './own-addresses.ts';
import type { PassRecord } from './pass-record.ts';
import { type ClusterView, type MachineView, viewCluster, viewMachine } from './snapshot.ts';
import { type PassResult, tellEveryone } from './tell-everyone.ts';
import { type PassPlans, type WakeCall, WakeCount } from './wake-count.ts';
import { wakeOnKernel } from './wake-on-kernel.ts';

/** Before a configuration is known. */
const usualGraceMs = 120_000;
const retryMs = 1_000;
const lastWritesMs = 2_000;
/** Of the half minute that Kubernetes gives a pod to end. */
const handoverWithinMs = 15_000;
/** Thousands of Services that come at once are worth a few passes, not one each, and a fourth of a core. */
const rest = { times: 3, longestMs: 300, mostHurried: 10 };

export class Agent {
  readonly parts: AgentParts;
  readonly reconciler: Reconciler<'node'>;
  readonly #setup: AgentSetup;
  readonly #adoption: AddressAdoption;
  readonly #wakes: WakeCount;
  #config: LocalConfig | undefined;
  #setbacks: Setbacks = new Map();
  #last: PassRecord | undefined;

  constructor(setup: AgentSetup) {
    this.#setup = setup;
    const { clock, random, log, metrics } = setup;
    this.#wakes = new WakeCount((reason) => metrics.countWake(reason));
    this.reconciler = new Reconciler({
      clock,
      random,
      rest,
      reconcile: () => this.#reconcile(),
      onError: ({ error, failures, retryInMs }) => {
        metrics.failures.add();
        log.error('Pass failed', { error, failures, retryInMs });
      },
    });
    this.parts = assemble(setup, {
      wake: (reason) => this.#wake(reason),
      hurry: (reason) => this.#wake(reason, 'hurry'),
    });
    this.#adoption = new AddressAdoption({ ...setup, ear: this.parts.ear });
  }

  get last(): PassRecord | undefined {
    return this.#last;
  }

  /** Before any call to the API server. What cannot be read for the moment is read again with each pass. */
  async adopt(): Promise<void> {
    try {
      const { held } = await this.#adopt(true);
      this.parts.keeper.adopt(held);
      this.parts.keeper.noteHeld(this.#locals(held));
    } catch (error) {
      this.#setup.log.error('Addresses could not be adopted', { error });
    }
  }

  /** Until the signal is aborted; then what is held is left as it should be. */
  async run(signal: AbortSignal): Promise<void> {
    const { objects, membership, members, endpoints, ear, self } = this.parts;
    const { failover, forwarding, teller, lookAhead } = this.parts;
    const serving = new AbortController();
    self.start();
    const onKernel = () => this.#wake('kernel');
    const undo = [wakeOnKernel(this.#setup, this.parts, onKernel), this.#wakeOnCluster()];
    const isStopped = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const parts = [objects, membership, this.#setup.bgp].filter((each) => each !== undefined);
    const tasks = parts.map((each) => each.run(serving.signal));
    const working = Promise.all(tasks);
    void objects.whenSynced().then(() => this.#wake('start'));
    this.#wake('start');
    await Promise.race([isStopped, working]);
    const choice = await this.#prepareToLeave();
    serving.abort();
    for (const each of undo) each();
    await this.reconciler.stop();
    self.stop();
    members.stop();
    endpoints.stop();
    lookAhead.stop();
    ear.stop();
    failover.stop();
    forwarding.stop();
    await leaveAddresses(this.#setup, choice, {
      dummyLink: this.parts.virtualLink.name,
      graceSeconds: this.#graceSeconds(),
      mayExtend: membership.isHealthy && !membership.isFailing,
    });
    await teller.stop(lastWritesMs);
    await working;
    if (choice.policy === 'remove') await membership.leave();
    else await this.#farewell();
  }

  /** What others are to take they take while this agent still serves. */
  async #prepareToLeave(): Promise<ShutdownChoice> {
    const { departure, membership } = this.parts;
    const node = this.#last?.cluster.nodes.find(({ name }) => name === this.#setup.node);
    const onShutdown = this.#config?.onShutdown ?? 'Auto';
    const choice = await chooseLeaving(this.#setup, { onShutdown, node });
    if (choice.policy !== 'handover' || this.#last === undefined) return choice;
    this.#wake('stop');
    await departure.begin(handoverWithinMs);
    await membership.flush(lastWritesMs);
    return choice;
  }

  /** Others are to know how long what stays behind will last. */
  async #farewell(): Promise<void> {
    const { keeper, membership } = this.parts;
    keeper.noteLeft(this.#locals(await this.#setup.kernel.addresses()));
    await membership.farewell();
  }

  #locals(held: readonly HeldAddress[]): readonly HeldAddress[] {
    return held.filter(({ link }) => link !== this.parts.virtualLink.name);
  }

  #wake(reason: WakeCall, how: 'wake' | 'hurry' = 'wake'): void {
    this.#wakes.call(reason);
    this.reconciler[how]('node');
  }

  #wakeOnCluster(): () => void {
    const { objects, membership, members } = this.parts;
    const undo = [
      objects.onChange(() => this.#wake('cluster')),
      objects.leases.subscribe((_key, before, after) => {
        const isMine = before?.metadata.name === membership.leaseName;
        if (isMine && after === undefined) membership.noteGone();
        if (objects.unsynced.length === 0) members.judge();
      }),
    ];
    return () => {
      for (const each of undo) each();
    };
  }

  #graceSeconds(): number {
    return (this.#config?.failover.restartGraceMs ?? usualGraceMs) / 1000;
  }

  #adopt(isStart: boolean) {
    return this.#adoption.round({ graceSeconds: unpromisedSeconds, isStart });
  }

  async #reconcile(): Promise<ReconcileResult> {
    this.#wakes.begin();
    const { objects, reader, departure } = this.parts;
    if (objects.unsynced.length > 0) return this.#awaitCluster();
    this.parts.self.check();
    const startedAt = this.#setup.clock.monotonic();
    const view = await reader.read();
    const isLeaving = departure.isUnderWay;
    const plans = await this.#pass(view, startedAt);
    if (this.#last !== undefined) tellBgp(this.#setup, this.#last);
    if (isLeaving && this.#last !== undefined) departure.note(this.#last.placing);
    this.#setup.metrics.reconciliations.add();
    const now = this.#setup.clock.monotonic();
    return { wakeAt: this.#wakes.plan({ ...plans, audit: now + longestSleep(now - startedAt) }) };
  }

  /** Keeps what a predecessor left, and announces it to members that ask: they would take it otherwise. */
  async #awaitCluster(): Promise<ReconcileResult> {
    const { announcer, inquiries, hints } = this.parts;
    const { held, links, wakeAt } = await this.#adopt(false);
    const ours = held.filter((each) => isHeldByUs(each) && !this.#adoption.isContested(each.ip));
    hints.attend({ own: findOwn(held, links), members: undefined });
    inquiries.attend(new Set(ours.map(({ ip }) => ip)));
    const asked = [...inquiries.asked].map(([ip, at]) => ({ ip, at }));
    inquiries.affirm({ sure: new Set(ours.map(({ ip }) => ip)), unsure: new Set() });
    announcer.affirmHeld(asked, { held: ours, links, now: this.#setup.clock.monotonic() });
    return { wakeAt };
  }

  async #pass(view: KernelView, startedAt: number): Promise<PassPlans> {
    const { clock, node, installNamespace } = this.#setup;
    const { objects, reader, members, endpoints, keeper, self, virtualLink, guard } = this.parts;
    const cluster = viewCluster(objects, node, installNamespace);
    this.#config = cluster.choice.config;
    const links = this.parts.links.judge(view.links, this.#config?.failover);
    const machine = viewMachine(view, cluster.choice, links.health);
    await virtualLink.ensure(this.#config, view);
    this.#promise(cluster, machine);
    const settled = endpoints.look(needEndpoints(cluster));
    const seen = { cluster, machine, ...members.judge(), endpoints: settled };
    const state = { setbacks: this.#setbacks, failover: this.#config?.failover };
    const decided = decidePass(this.#setup, this.parts, seen, state);
    const { snapshot, placing, plan, askAt } = decided;
    await guard.keep(planGuard(snapshot, placing));
    // What was decided before a stall may be long out of date.
    if (!self.hasRunSince(startedAt)) return { retry: startedAt };
    const serving = await this.#apply(plan, placing);
    await virtualLink.removeFormer();
    const held = await this.#heldAfter(view, plan.changes.length > 0);
    this.#noteSetbacks(cluster, machine, { placing, held });
    if (!self.hasRunSince(startedAt)) return { retry: startedAt };
    const setbacks = this.#setbacks;
    const result = { cluster, machine, snapshot, placing, held, serving, setbacks };
    const announceAt = tellEveryone(this.#setup, this.parts, result);
    const watched = { ...seen, placing, wire: snapshot.wire, timings: state.failover };
    const passOverAt = this.parts.failover.attend(watched);
    this.parts.lookAhead.attend(snapshot, view.links ?? []);
    const now = clock.monotonic();
    const number = (this.#last?.number ?? 0) + 1;
    this.#last = { ...result, ...seen, tookMs: now - startedAt, number };
    const isUnread = machine.survey.kind === 'unknown' || held === undefined;
    const retryAt = isUnread || keeper.failures.size > 0 ? now + retryMs : Infinity;
    return {
      kernelRead: Math.min(reader.wakeAt, links.wakeAt),
      endpointsSettle: settled?.wakeAt ?? Infinity,
      placement: placing.wakeAt,
      lifetimes: plan.wakeAt,
      telling: announceAt,
      asking: Math.min(passOverAt, askAt),
      retry: Math.min(nextTryAt(setbacks, now), retryAt),
    };
  }

  /** A copy that PureLB did not put there serves in place of its own: which do. */
  async #apply(plan: AddressPlan, { decisions }: Placing): Promise<readonly WantedAddress[]> {
    const serving = findServing(plan.blocked, decisions);
    const blocked = plan.blocked.filter((address) => !serving.includes(address));
    await this.parts.keeper.apply({ ...plan, blocked }, decisions);
    return serving;
  }

  #promise(cluster: ClusterView, { subnets, links, kernel }: MachineView): void {
    if (subnets === undefined || links === undefined) return;
    this.parts.membership.promise({
      subnets: this.parts.departure.isUnderWay ? '' : encodeSubnets(subnets.ready),
      links: encodeMemberLinks(links),
      failing: encodeFailing(findFailing(this.#setbacks, this.#setup.clock.monotonic())),
      unmarked: encodeFailing(findUnmarked(kernel, cluster.loadBalancers).map(({ ip }) => ip)),
      handing: this.parts.moves.handing,
      peerKeys: this.#setup.keys.names.join(),
      conflicts: encodeConflicts(this.parts.memory.reports),
      nodeUid: cluster.nodes.find(({ name }) => name === this.#setup.node)?.uid ?? '',
    });
  }

  /** The others are told at once of what this node cannot do. */
  #noteSetbacks(
    cluster: ClusterView,
    machine: MachineView,
    { placing, held }: Pick<PassResult, 'placing' | 'held'>,
  ): void {
    const { keeper, membership } = this.parts;
    const promise = membership.lifetimePromise;
    const isNews = held !== undefined && keeper.noteHeld(this.#locals(held), promise);
    // While the Lease cannot be written, it is tried each second anyway.
    if (isNews || (keeper.isOffering && !promise.isFailing)) membership.renewSoon();
    const { failures } = keeper;
    const { node, clock } = this.#setup;
    const { decisions } = placing;
    const facts = { node, decisions, held, failures, now: clock.monotonic() };
    this.#setbacks = noteSetbacks(facts, this.#setbacks);
    this.#promise(cluster, machine);
  }

  async #heldAfter({ addresses }: KernelView, hasChanged: boolean) {
    return hasChanged ? this.parts.reader.readAddresses() : addresses;
  }
}
