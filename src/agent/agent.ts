/** One node's part: reads the cluster, the kernel and the wire, decides, changes the kernel, tells the others. */

import { unpromisedSeconds } from '../decide/announcement/lifetime-promise.ts';
import type { ShutdownChoice } from '../decide/announcement/shutdown-policy.ts';
import { isHeldByUs } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import { type ReconcileResult, Reconciler } from '../runtime/reconciler.ts';
import { AddressAdoption } from './adopt-addresses.ts';
import { type AgentParts, type AgentSetup, assemble } from './agent-parts.ts';
import { chooseLeaving, leaveAddresses } from './leave-addresses.ts';
import { tellBgp } from './leave-bgp.ts';
import type { PassRecord } from './pass-record.ts';
import { Passes } from './passes.ts';
import { type WakeCall, WakeCount } from './wake-count.ts';
import { wakeOnKernel } from './wake-on-kernel.ts';

/** Before a configuration is known. */
const usualGraceMs = 120_000;
const lastWritesMs = 2_000;
/** Of the half minute that Kubernetes gives a pod to end. */
const handoverWithinMs = 15_000;
/** Thousands of Services that come at once are worth a few passes, not one each, and a fourth of a core. */
const rest = { times: 3, longestMs: 300, mostHurried: 10 };

interface WakeManner {
  readonly how?: 'wake' | 'hurry';
  readonly about?: readonly Ip[] | undefined;
}

export class Agent {
  readonly parts: AgentParts;
  readonly reconciler: Reconciler<'node'>;
  readonly #setup: AgentSetup;
  readonly #adoption: AddressAdoption;
  readonly #wakes: WakeCount;
  readonly #passes: Passes;

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
      wake: (reason, about) => this.#wake(reason, { about }),
      hurry: (reason, about) => this.#wake(reason, { about, how: 'hurry' }),
    });
    this.#passes = new Passes(setup, this.parts);
    this.#adoption = new AddressAdoption({ ...setup, ...this.parts });
  }

  get last(): PassRecord | undefined {
    return this.#passes.last;
  }

  /** Before any call to the API server. What cannot be read for the moment is read again with each pass. */
  async adopt(): Promise<void> {
    try {
      const { held } = await this.#adopt(true);
      this.parts.keeper.adopt(held);
      this.parts.keeper.noteHeld(this.#passes.locals(held));
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
    const { last, config } = this.#passes;
    const node = last?.cluster.nodes.find(({ name }) => name === this.#setup.node);
    const onShutdown = config?.onShutdown ?? 'Auto';
    const choice = await chooseLeaving(this.#setup, { onShutdown, node });
    if (choice.policy !== 'handover' || last === undefined) return choice;
    this.#wake('stop');
    await departure.begin(handoverWithinMs);
    await membership.flush(lastWritesMs);
    return choice;
  }

  /** Others are to know how long what stays behind will last. */
  async #farewell(): Promise<void> {
    const { keeper, membership } = this.parts;
    keeper.noteLeft(this.#passes.locals(await this.#setup.kernel.addresses()));
    await membership.farewell();
  }

  /** For a pass over everything, unless it is about these addresses, or about what was noted already. */
  #wake(reason: WakeCall, { how = 'wake', about }: WakeManner = {}): void {
    if (about === undefined) this.parts.scope.noteAll();
    for (const ip of about ?? []) this.parts.scope.noteAddress(ip);
    this.#wakes.call(reason);
    this.reconciler[how]('node');
  }

  #wakeOnCluster(): () => void {
    const { objects, membership, members, scope } = this.parts;
    const undo = [
      objects.onChange(() => this.#wake('cluster')),
      objects.onServiceChange((key, before, after) => {
        scope.noteService(key, before, after);
        this.#wake('cluster', { about: [] });
      }),
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
    return (this.#passes.config?.failover.restartGraceMs ?? usualGraceMs) / 1000;
  }

  #adopt(isStart: boolean) {
    return this.#adoption.round({ graceSeconds: unpromisedSeconds, isStart });
  }

  async #reconcile(): Promise<ReconcileResult> {
    this.#wakes.begin();
    const { objects, departure } = this.parts;
    if (objects.unsynced.length > 0) return this.#awaitCluster();
    this.parts.self.check();
    const startedAt = this.#setup.clock.monotonic();
    const isLeaving = departure.isUnderWay;
    const plans = await this.#passes.pass(startedAt);
    this.#tellBgp();
    const last = isLeaving ? this.#passes.last : undefined;
    if (last !== undefined) departure.note(last.placing);
    this.#setup.metrics.reconciliations.add();
    return { wakeAt: this.#wakes.plan(plans) };
  }

  #tellBgp(): void {
    if (this.#setup.bgp === undefined) return;
    const facts = this.#passes.bgpFacts;
    if (facts !== undefined) tellBgp(this.#setup, facts);
  }

  /** Keeps what a predecessor left, and announces it to members that ask: they would take it otherwise. */
  async #awaitCluster(): Promise<ReconcileResult> {
    const { announcer, inquiries } = this.parts;
    this.#passes.distrust();
    const { held, links, wakeAt } = await this.#adopt(false);
    const ours = held.filter(isHeldByUs);
    const ips = new Set(ours.map(({ ip }) => ip));
    inquiries.attendHeld(ips);
    const asked = [...inquiries.asked].map(([ip, at]) => ({ ip, at }));
    // A member that has read the cluster and is sure of an address keeps it.
    inquiries.affirm({ sure: new Set(), unsure: ips });
    const announced = ours.filter(({ ip }) => !this.#adoption.isContested(ip));
    announcer.affirmHeld(asked, { held: announced, links, now: this.#setup.clock.monotonic() });
    return { wakeAt };
  }
}
