/** Keeps the guard as it is planned, and remembers what came of it. */

import type { ConfigChoice, ConfigNotice } from '../decide/announcement/choose-agent-config.ts';
import { noticeGuardFailure } from '../decide/announcement/plan-guard.ts';
import type { Guard, GuardOutcome } from '../linux/guard.ts';
import { formatOpening, type GuardRules, noGuard } from '../model/guard.ts';
import type { AgentOffer } from '../model/read-agent-offer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

export interface GuardKeeperSetup {
  readonly guard: Guard;
  readonly clock: Clock;
  readonly log: Log;
  readonly offers: () => readonly AgentOffer[];
}

/** So often it is looked whether someone, such as a firewall that was loaded anew, took it away. */
const lookAgainMs = 30_000;

export class GuardKeeper {
  readonly #setup: GuardKeeperSetup;
  #rules: GuardRules = noGuard;
  /** Of the rules that were last tried; undefined: not even whether a predecessor left something is known. */
  #tried: { readonly text: string; readonly at: number } | undefined;
  #failure: string | undefined;

  constructor(setup: GuardKeeperSetup) {
    this.#setup = setup;
  }

  /** To be called before addresses are added: nothing is to be had at them before it is guarded. */
  async keep(rules: GuardRules | undefined): Promise<void> {
    if (rules === undefined) return;
    const text = describe(rules);
    if (!this.#isDue(rules, text)) return;
    const { guard, clock, log } = this.#setup;
    this.#rules = rules;
    this.#tried = { text, at: clock.monotonic() };
    const outcome = await guard.apply(rules).catch(asFailure);
    const counts = { addresses: rules.addresses.length, openings: rules.openings.length };
    if (outcome.kind === 'changed') log.info('Guard changed', counts);
    const failure = outcome.kind === 'failed' ? outcome.words : undefined;
    if (failure !== undefined && failure !== this.#failure) {
      log.warn('Guard could not be changed', { ...counts, words: failure });
    }
    this.#failure = failure;
  }

  /** What people who asked for a guard must know. */
  notices(choice: ConfigChoice, node: string): readonly ConfigNotice[] {
    const isAskedFor = this.#rules.addresses.length > 0;
    if (this.#failure === undefined || !isAskedFor) return [];
    return noticeGuardFailure(choice, this.#setup.offers(), { node, words: this.#failure });
  }

  /** For `agent state`. */
  get state() {
    const { addresses, openings } = this.#rules;
    return { addresses, openings: openings.map(formatOpening), failure: this.#failure };
  }

  #isDue({ addresses }: GuardRules, text: string): boolean {
    if (this.#tried?.text !== text) return true;
    const isAged = this.#setup.clock.monotonic() - this.#tried.at >= lookAgainMs;
    // What was taken away once, nobody brings back.
    const isSettled = addresses.length === 0 && this.#failure === undefined;
    return isAged && !isSettled;
  }
}

/** Whatever is wrong with it, addresses are more important. */
function asFailure(error: unknown): GuardOutcome {
  return { kind: 'failed', code: 'Unknown', words: String(error) };
}

function describe({ addresses, openings }: GuardRules): string {
  return [...addresses, ...openings.map(formatOpening)].join('\n');
}
