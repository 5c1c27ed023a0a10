/** Asks the holders that this node watches, and knows who fell silent: the hand of `decide/failover`. */

import { type Absence, noteAbsence } from '../decide/failover/absences.ts';
import type { Beacon, Watch } from '../decide/failover/assign-watches.ts';
import { commonBeat } from '../decide/failover/common-beat.ts';
import { type Sight, seenAddresses } from '../decide/failover/seen-addresses.ts';
import { type HolderAnswer, type WatchStep, watchHolder } from '../decide/failover/watch-holder.ts';
import {
  isStranger,
  type Phase,
  type Question,
  startSuspecting,
  startWatching,
  suspectAddress,
  type WatchState,
} from '../decide/failover/watch-state.ts';
import type { Neighbours } from '../linux/neighbours.ts';
import type { DoubtReason } from '../model/doubt-reasons.ts';
import { familyOf, type Ip } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';
import type { NeighbourFrame } from '../model/neighbour-frame.ts';
import type { Cancel, Clock } from '../runtime/clock.ts';
import { LinkEar } from './link-ear.ts';
import {
  changeWatch,
  describeTarget,
  describeTroubles,
  findOrphans,
  findSilent,
  hintLifeMs,
  interestOf,
  isCalm,
  isIntact,
  keyOf,
  lookCloser,
  noteHolderAnswer,
  remainder,
  timingsFor,
  type WatchedHolder,
  type WatchedLink,
  type WatchRound,
  type WatchTarget,
} from './watch-target.ts';

export interface HolderWatchSetup {
  readonly neighbours: Neighbours;
  readonly clock: Clock;
  /** Whether a frame is of the host that it names. */
  readonly believes: (frame: NeighbourFrame) => boolean;
  /** Before anything is concluded from what was heard or not. */
  readonly onTick: () => void;
  /** When it ticks next, on the monotonic clock; `Infinity`: it does not. */
  readonly onPlan: (at: number) => void;
  /** Someone fell silent, or is back. */
  readonly onNews: () => void;
  /** A holder that this node watches was missed, and is looked at closer. */
  readonly onMissed: (watch: Watch) => void;
  /** A holder that this node watches fell silent. */
  readonly onSilent: (watch: Watch) => void;
  /** One that it watches lives, and does not answer for this address, perhaps for others too. */
  readonly onOrphan: (watch: Watch, ip: Ip) => void;
  /** This node itself may be the one that is not heard on the link, for so long at least. */
  readonly onDoubt: (link: string, because: DoubtReason, lastsMs: number) => void;
}

export class HolderWatch {
  readonly #setup: HolderWatchSetup;
  readonly #ears: Map<string, LinkEar> = new Map();
  readonly #targets = new Map<string, WatchTarget>();
  #round: WatchRound | undefined;
  #sequence = 0;
  #absences: readonly Absence[] = [];
  #cancel: Cancel = nothingPlanned;
  #troubles = '';

  constructor(setup: HolderWatchSetup) {
    this.#setup = setup;
  }

  /** By the link on which they do not answer. */
  get silent(): ReadonlyMap<string, ReadonlySet<string>> {
    return findSilent([...this.#targets.values()]);
  }

  get absences(): readonly Absence[] {
    return this.#absences;
  }

  /** Addresses that their holder does not answer for, though it lives. */
  get orphans(): ReadonlyMap<Ip, ReadonlySet<string>> {
    return findOrphans([...this.#targets.values()]);
  }

  /** What this node is to tell people of the addresses that it watches. */
  get seen(): ReadonlyMap<string, Sight> {
    return seenAddresses(this.#targets.values());
  }

  get holders(): readonly WatchedHolder[] {
    return [...this.#targets.values()].map(describeTarget);
  }

  attend(round: WatchRound): void {
    this.#round = round;
    const now = this.#setup.clock.monotonic();
    this.#listen(round.links);
    const wanted = new Map(round.watches.map((watch) => [keyOf(watch), watch]));
    for (const [key, target] of this.#targets) {
      const watch = wanted.get(key) ?? remainder(target, now);
      if (wanted.has(key)) delete target.hintedUntil;
      if (watch === undefined || !this.#ears.has(watch.link)) this.#targets.delete(key);
      else changeWatch(target, watch);
    }
    this.#beginNew(wanted);
    this.#planNext();
  }

  #beginNew(wanted: ReadonlyMap<string, Watch>): void {
    // Who is watched anew while others are silent may have been theirs to watch, and have died with them.
    const begin = this.silent.size > 0 ? startSuspecting : startWatching;
    for (const [key, watch] of wanted) {
      if (!this.#targets.has(key)) this.#watch(watch, begin(watch));
    }
  }

  /** Someone says that these fell silent: looks for itself, at once. */
  suspect(watch: Watch): void {
    if (!this.#ears.has(watch.link)) return;
    const target = this.#targets.get(keyOf(watch));
    if (target === undefined || isStranger(target.state)) {
      this.#watch(target?.watch ?? watch, startSuspecting(watch));
    } else lookCloser(target, this.#setup.clock.monotonic());
    this.#planNext();
  }

  /** Someone says that it lives and does not answer for the address: looks for itself, at once. */
  suspectOrphan(watch: Watch, ip: Ip): void {
    if (!this.#ears.has(watch.link)) return;
    const target = this.#targets.get(keyOf(watch));
    if (target === undefined) {
      const widened = { ...watch, ips: [...new Set([...watch.ips, ip])] };
      const hintedUntil = this.#setup.clock.monotonic() + hintLifeMs;
      this.#watch(widened, suspectAddress(startSuspecting(widened), ip), { hintedUntil });
    } else if (isIntact(target.state, ip)) {
      target.state = suspectAddress(target.state, ip);
      target.wakeAt = -Infinity;
    }
    this.#planNext();
  }

  stop(): void {
    for (const ear of this.#ears.values()) ear.stop();
    this.#ears.clear();
    this.#targets.clear();
    this.#planNext();
  }

  #watch(watch: Watch, state: WatchState, more: Pick<WatchTarget, 'hintedUntil'> = {}): void {
    const heardAt = this.#setup.clock.monotonic();
    const begun = { answers: new Map(), wakeAt: -Infinity, heardAt };
    const interest = interestOf(watch);
    this.#targets.set(keyOf(watch), { watch, interest, state, ...begun, ...more });
  }

  #listen(links: readonly WatchedLink[]): void {
    const wanted = new Map(links.map((each) => [each.link.name, each]));
    for (const [name, ear] of this.#ears) {
      if (ear.isFor(wanted.get(name)?.link)) continue;
      ear.stop();
      this.#ears.delete(name);
    }
    for (const [name, { link }] of wanted) {
      if (this.#ears.has(name)) continue;
      const onAnswer = (from: Mac, answer: HolderAnswer) => this.#hear(name, from, answer);
      this.#ears.set(name, new LinkEar({ ...this.#setup, link, onAnswer }));
    }
  }

  #hear(link: string, from: Mac, answer: HolderAnswer): void {
    let isBack = false;
    for (const target of this.#targets.values()) {
      const { watch, state } = target;
      if (watch.link !== link || !watch.macs.includes(from)) continue;
      noteHolderAnswer(target, answer);
      if (state.phase.kind === 'silent') {
        // Others may hold what it does: that is not to wait for its turn.
        target.wakeAt = -Infinity;
        isBack = true;
      } else target.heardAt = answer.at;
    }
    if (isBack) this.#planNext();
  }

  #planNext(): void {
    const { clock, onPlan } = this.#setup;
    const due = [...this.#targets.values()].map(({ wakeAt, state }) => ({
      at: wakeAt,
      isCalm: isCalm(state) && wakeAt !== -Infinity,
    }));
    const at = commonBeat(due, this.#round?.timings.probeIntervalMs ?? 0);
    this.#cancel();
    this.#cancel = clock.after(at - clock.monotonic(), () => this.#tick());
    onPlan(at);
  }

  #tick(): void {
    this.#cancel = nothingPlanned;
    this.#setup.onTick();
    for (const ear of this.#ears.values()) ear.drain();
    const now = this.#setup.clock.monotonic();
    for (const target of this.#targets.values()) if (target.wakeAt <= now) this.#step(target, now);
    for (const ear of this.#ears.values()) ear.hearAnew();
    this.#tellNews();
    this.#planNext();
  }

  #step(target: WatchTarget, now: number): void {
    const { watch, answers } = target;
    const ear = this.#ears.get(watch.link);
    if (this.#round === undefined || ear === undefined) return;
    const { phase: before, orphans } = target.state;
    const step = watchHolder(target.state, {
      watch,
      answers: [...answers.values()],
      othersAskedAt: ear.answeredBut(watch.holder),
      isDeaf: ear.isDeaf,
      timings: timingsFor(watch, this.#round.timings),
      now,
    });
    target.state = step.state;
    answers.clear();
    target.wakeAt = step.wakeAt;
    this.#send(watch, step, ear, now);
    this.#noteSilence(target, before, now);
    // Whoever is told looks at all of them.
    const lost = [...step.state.orphans].find((ip) => !orphans.has(ip));
    if (lost !== undefined && target.hintedUntil === undefined) this.#setup.onOrphan(watch, lost);
    if (step.isCutOff)
      this.#setup.onDoubt(watch.link, 'isolated', 2 * this.#round.timings.confirmMs);
  }

  #noteSilence({ watch, state, heardAt }: WatchTarget, before: Phase, now: number): void {
    const { phase } = state;
    if (before.kind === phase.kind) return;
    if (phase.kind === 'silent') this.#setup.onSilent(watch);
    // Who was told to look by someone else tells nobody: they are all told.
    if (before.kind === 'watching' && phase.kind === 'confirming') this.#setup.onMissed(watch);
    if (before.kind !== 'silent') return;
    const { holder: node, link } = watch;
    this.#absences = noteAbsence(this.#absences, { node, link, from: heardAt, to: now });
  }

  #send(watch: Watch, { asks, asksBeacons }: WatchStep, ear: LinkEar, now: number): void {
    // Most have one. Where there are more, such as those of a bond, the others matter only when the first is silent.
    const macs = asksBeacons ? watch.macs : watch.macs.slice(0, 1);
    for (const question of asks) {
      ear.noteAsked(watch.holder, question, now);
      for (const mac of macs) this.#ask(question, mac, ear);
    }
    if (!asksBeacons) return;
    for (const beacon of watch.beacons) this.#askBeacon(beacon, ear, now);
  }

  #askBeacon({ who, ip, mac }: Beacon, ear: LinkEar, now: number): void {
    const question: Question = { ip, by: mac === undefined ? 'probe' : 'echo' };
    ear.noteAsked(who, question, now);
    this.#ask(question, mac, ear);
  }

  #ask({ ip, by }: Question, to: Mac | undefined, ear: LinkEar): void {
    const { neighbours } = this.#setup;
    const { link } = ear;
    const own = this.#round?.links.find((each) => each.link.name === link.name);
    const source = own?.source[familyOf(ip)];
    this.#sequence = (this.#sequence + 1) % 65_536;
    const outcome =
      by === 'echo' && source !== undefined && to !== undefined
        ? neighbours.echo({ link, ip, to, source, sequence: this.#sequence })
        : neighbours.probe({ link, ip, ...(to === undefined ? {} : { to }) });
    if (outcome.kind === 'sent') return;
    ear.noteDeaf();
    this.#setup.onDoubt(link.name, 'sendFailed', 0);
  }

  #tellNews(): void {
    const troubles = describeTroubles([...this.#targets.values()]);
    if (troubles === this.#troubles) return;
    this.#troubles = troubles;
    this.#setup.onNews();
  }
}

const nothingPlanned: Cancel = () => {};
