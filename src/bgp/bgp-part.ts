/** One node's part in BGP: what is on the imported links is at the routers, and people can see whether it is. */

import type { BgpRecord } from '../decide/advertisement/bgp-record.ts';
import { chooseBgpConfig } from '../decide/advertisement/choose-bgp-config.ts';
import { matchesGlob } from '../decide/advertisement/matches-glob.ts';
import type { Applied } from '../decide/advertisement/plan-speaker.ts';
import { SpeakerError, type SpeakerFailure } from '../gobgp/speaker.ts';
import { bgpConfigurations } from '../kube/resources.ts';
import type { Store } from '../kube/store.ts';
import { WatchSet } from '../kube/watch-set.ts';
import type { KernelEvent } from '../linux/kernel.ts';
import { newDaemon, type SpeakerState } from '../model/speaker.ts';
import { type ReconcileResult, Reconciler } from '../runtime/reconciler.ts';
import { AfterCalm } from './after-calm.ts';
import {
  describeFailure,
  keyOfChange,
  type PassFacts,
  planPass,
  rememberApplied,
} from './bgp-pass.ts';
import type { BgpSetup, BgpSurroundings } from './bgp-setup.ts';
import { ConfigurationStatusWriter } from './configuration-status-writer.ts';
import { DaemonLog } from './daemon-log.ts';
import { DaemonWatch } from './daemon-watch.ts';
import { essenceOf } from './essence.ts';
import { type KnownConfiguration, knowConfiguration } from './known-configuration.ts';
import { LearntRoutes } from './learnt-routes.ts';
import { type LeavePolicy, leaveDaemon } from './leave-daemon.ts';
import { NodeStatusWriter } from './node-status-writer.ts';
import { NoteTeller } from './note-teller.ts';
import { RouteDrain } from './route-drain.ts';
import { SecretWatch, secretsOf } from './secret-watch.ts';

/** However quiet it is, the daemon is compared with what it should be so often. */
const resyncMs = 30_000;
const retryMs = 1_000;
/** Bursts merge: a thousand addresses are a few messages. */
const rest = { times: 1, longestMs: 100, mostHurried: 0 };
/** Reading all of the daemon takes longer than to tell it of an address: it waits until no more of them come. */
const afterChanges = { calmMs: 100, longestMs: 1_000 };

/** `paths`: only the addresses on the links may have changed. */
type Work = 'paths' | 'all';

export class BgpPart {
  readonly reconciler: Reconciler<Work>;
  readonly #setup: BgpSetup;
  readonly #objects: WatchSet;
  readonly #configurations: Store<KnownConfiguration>;
  readonly #secrets: SecretWatch;
  readonly #daemon: DaemonWatch;
  readonly #daemonLog: DaemonLog;
  readonly #nodeStatus: NodeStatusWriter;
  readonly #configStatus: ConfigurationStatusWriter;
  readonly #notes: NoteTeller;
  readonly #learnt: LearntRoutes;
  readonly #drain: RouteDrain;
  readonly #afterChanges: AfterCalm;
  #surroundings: BgpSurroundings | undefined;
  #essence = '';
  #applied: Applied = new Map();
  /** What the daemon is taken to be, by the last reading and what it was told since; undefined: it must be read. */
  #assumed: SpeakerState | undefined;
  #last: BgpRecord | undefined;

  constructor(setup: BgpSetup) {
    this.#setup = setup;
    const { clock, random, log, cluster, observe } = setup;
    this.reconciler = new Reconciler({
      clock,
      random,
      rest,
      reconcile: (work) => (work === 'paths' ? this.#advertise() : this.#reconcile()),
      onError: ({ error, failures, retryInMs }) =>
        log.error('BGP pass failed', { error, failures, retryInMs }),
    });
    const wake = () => this.#wake();
    const onListenerError = (error: unknown) => log.error('Listener failed', { error });
    this.#objects = new WatchSet({ cluster, clock, random, observe, onListenerError });
    this.#configurations = this.#objects.add(bgpConfigurations, knowConfiguration, {
      namespace: setup.installNamespace,
    });
    this.#configurations.subscribe(wake);
    this.#secrets = new SecretWatch(setup, wake);
    this.#daemonLog = new DaemonLog(setup);
    this.#daemon = new DaemonWatch({
      ...setup,
      onNews: () => this.#noteNews(),
      onChange: (failure) => this.#noteDaemon(failure),
    });
    this.#nodeStatus = new NodeStatusWriter(setup, wake);
    this.#configStatus = new ConfigurationStatusWriter(setup, wake);
    this.#notes = new NoteTeller(setup);
    this.#learnt = new LearntRoutes(setup);
    this.#drain = new RouteDrain(clock);
    this.#afterChanges = new AfterCalm({ clock, ...afterChanges, act: wake });
  }

  get last(): BgpRecord | undefined {
    return this.#last;
  }

  get isConnected(): boolean {
    return this.#daemon.isConnected;
  }

  get unsynced(): readonly string[] {
    return this.#objects.unsynced;
  }

  /** Whether routes are on their way out, so that addresses have to stay, as the node takes no part any more. */
  drain(isOut: boolean): boolean {
    if (this.#drain.note(isOut)) this.#wake();
    return this.#drain.isUnderWay;
  }

  /** What the agent knows by now; only what BGP goes by makes it look again. */
  note(surroundings: BgpSurroundings): void {
    // A Node that was deleted is remembered: its routes have to be withdrawn.
    const me = surroundings.me ?? this.#surroundings?.me;
    this.#surroundings = { ...surroundings, me };
    const essence = essenceOf(this.#surroundings);
    if (essence === this.#essence) return;
    this.#essence = essence;
    this.#wake();
  }

  /** Until the signal is aborted; then the daemon goes on as it is, until `leave` says otherwise. */
  async run(signal: AbortSignal): Promise<void> {
    const { kernel } = this.#setup;
    const undo = kernel.changes((event) => {
      if (this.#concerns(event)) this.#wake('address' in event ? 'paths' : 'all');
    });
    const working = Promise.all([this.#objects.run(signal), this.#daemon.run(signal)]);
    void this.#objects.whenSynced().then(() => this.#wake());
    await working;
    this.#daemonLog.stop();
    undo();
    this.#secrets.stop();
    this.#afterChanges.stop();
    await this.reconciler.stop();
  }

  /** The last act; addresses may go when it resolves. */
  async leave(how: LeavePolicy): Promise<void> {
    // A pass that is still on its way would advertise again what is being withdrawn.
    await this.reconciler.stop();
    await leaveDaemon(this.#setup, how);
    if (how !== 'remove') return;
    await this.#learnt.clear();
    await this.#nodeStatus.writeLast(this.#last);
  }

  #wake(work: Work = 'all'): void {
    this.reconciler.wake(work);
  }

  /** Our own routes are news as well: they are looked at when no more of them come. */
  #noteNews(): void {
    if (!this.#afterChanges.isPlanned) this.#wake();
  }

  /** Before the configuration is known, every address may count. */
  #concerns(event: KernelEvent): boolean {
    if (!('address' in event)) return event.kind === 'resync' || 'link' in event;
    const interfaces = this.#last?.choice.config?.netlinkImport.interfaces;
    if (interfaces === undefined || !event.address.isOurs) return true;
    return interfaces.some((glob) => matchesGlob(glob, event.address.link));
  }

  #noteDaemon(failure: SpeakerError | undefined): void {
    this.#setup.metrics.noteConnection(this.#setup.endpoint, failure === undefined);
    this.#assumed = undefined;
    this.#daemonLog.note(failure);
    this.#wake();
  }

  /** Addresses that come and go are told at once, by what the daemon is taken to be, and it is read afterwards. */
  async #advertise(): Promise<ReconcileResult> {
    const isTold = this.#assumed !== undefined && (await this.#tellPaths(this.#assumed));
    if (!isTold) this.#wake();
    return {};
  }

  async #tellPaths(assumed: SpeakerState): Promise<boolean> {
    const { changes, wish } = planPass(await this.#gather(assumed));
    if (wish === undefined || changes.some(({ kind }) => kind !== 'set-paths')) return false;
    // Before anything is told: what follows from it is no news.
    this.#afterChanges.note();
    const failures = await this.#setup.speaker.apply(changes);
    this.#logChanges(changes.length, failures);
    this.#assumed = failures.length === 0 ? { ...assumed, paths: wish.paths } : undefined;
    return failures.length === 0;
  }

  async #reconcile(): Promise<ReconcileResult> {
    this.#afterChanges.stop();
    const { clock } = this.#setup;
    const isReady = this.#surroundings?.me !== undefined && this.unsynced.length === 0;
    if (!isReady) return { wakeAt: clock.monotonic() + retryMs };
    const startedAt = clock.monotonic();
    const record = await this.#pass();
    const seconds = (clock.monotonic() - startedAt) / 1000;
    const statusAt = this.#tell(record, seconds);
    const hasFailed = record.state === undefined || record.failures.length > 0;
    const again = clock.monotonic() + (hasFailed ? retryMs : resyncMs);
    return { wakeAt: Math.min(again, statusAt, this.#drain.wakeAt) };
  }

  async #pass(): Promise<BgpRecord> {
    const record = await this.#carryOut();
    this.#drain.noteState(record.state);
    this.#last = record;
    this.#assumed = record.failures.length === 0 ? record.state : undefined;
    return record;
  }

  async #carryOut(): Promise<BgpRecord> {
    const state = await this.#read();
    const isKnown = !(state instanceof SpeakerError);
    // A daemon that was started anew has forgotten everything, and so have we.
    if (isKnown && state.identity === undefined) this.#applied = new Map();
    const facts = await this.#gather(isKnown ? state : newDaemon);
    const { changes, wish, record } = planPass(facts);
    if (!isKnown) {
      const failures = [`the BGP daemon does not answer: ${state.message}`];
      return { ...record, state: undefined, failures, learnt: [], installed: [] };
    }
    const failures = changes.length === 0 ? [] : await this.#setup.speaker.apply(changes);
    if (wish !== undefined) this.#applied = rememberApplied(wish, this.#applied, failures);
    this.#logChanges(changes.length, failures);
    if (changes.some(({ kind }) => kind === 'start')) this.#learnt.noteStart();
    const after = changes.length === 0 ? state : await this.#read();
    return {
      ...record,
      state: after instanceof SpeakerError ? undefined : after,
      failures: failures.map(describeFailure),
      ...(await this.#learnt.keep(facts, after)),
    };
  }

  async #gather(state: SpeakerState): Promise<PassFacts> {
    const choice = chooseBgpConfig([...this.#configurations.values()].map(({ offer }) => offer));
    this.#secrets.need(secretsOf(choice.config));
    const { kernel } = this.#setup;
    const [links, addresses] = await Promise.all([kernel.links(), kernel.addresses()]);
    const surroundings = this.#surroundings;
    const me = surroundings?.me;
    if (surroundings === undefined || me === undefined) throw new Error('the Node is not known');
    return {
      choice,
      surroundings: { ...surroundings, me },
      secret: (name, key) => this.#secrets.answer(name, key),
      links,
      addresses,
      state,
      applied: this.#applied,
      farewell: this.#drain.farewell,
    };
  }

  async #read(): Promise<SpeakerState | SpeakerError> {
    try {
      return await this.#setup.speaker.read();
    } catch (error) {
      if (error instanceof SpeakerError) return error;
      throw error;
    }
  }

  #logChanges(count: number, failures: readonly SpeakerFailure[]): void {
    const { log, metrics } = this.#setup;
    if (count > 0) log.info('BGP daemon set', { changes: count, failures: failures.length });
    for (const failure of failures) {
      const { change, code } = failure;
      log.warn('BGP daemon refused a change', { what: describeFailure(failure), code });
      const key = keyOfChange(change);
      if (key !== undefined) metrics.noteApplyError(key, change.kind.split('-')[0] ?? '');
    }
  }

  /** When there is more to tell though nothing changes. */
  #tell(record: BgpRecord, seconds: number): number {
    const { metrics, node } = this.#setup;
    const chosen = record.choice.chosen?.identity;
    if (chosen !== undefined) {
      const { name, namespace } = chosen;
      metrics.notePass({ name, namespace }, record, seconds);
      metrics.noteRouterId(record.routerId !== undefined);
    }
    metrics.note(record, node);
    this.#notes.tell(record, this.#surroundings?.isSpokesman === true);
    const nodeAt = this.#nodeStatus.tell(record, this.#surroundings?.me?.uid ?? '');
    if (this.#surroundings?.isSpokesman === true) {
      this.#configStatus.tell(record, [...this.#configurations.values()]);
    }
    return nodeAt;
  }
}
