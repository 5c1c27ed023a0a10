/** Why the agent makes its passes: each is counted by the reason that came first, or by the time that it had planned. */

/** What may wake it at any time. */
export const wakeCalls = [
  'start',
  'stop',
  'cluster',
  'endpoints',
  'forwarding',
  'kernel',
  'wire',
  'peers',
  'members',
  'lease',
  'stall',
  'write',
] as const;
export type WakeCall = (typeof wakeCalls)[number];

/** What it plans ahead. `audit`: everything is looked at now and then, however quiet it is. */
export const wakePlans = [
  'kernelRead',
  'endpointsSettle',
  'placement',
  'lifetimes',
  'announcing',
  'noting',
  'telling',
  'asking',
  'passingOver',
  'watching',
  'retry',
  'audit',
] as const;
export type WakePlan = (typeof wakePlans)[number];
/** When each of them wants the next pass, in ms on the monotonic clock. */
export type PassPlans = Readonly<Partial<Record<WakePlan, number>>>;

export class WakeCount {
  readonly #count: (reason: WakeCall | WakePlan) => void;
  #planned: WakePlan = 'retry';
  #isCalled = false;

  constructor(count: (reason: WakeCall | WakePlan) => void) {
    this.#count = count;
  }

  /** Many calls before a pass are worth one pass. */
  call(reason: WakeCall): void {
    if (!this.#isCalled) this.#count(reason);
    this.#isCalled = true;
  }

  /** A pass begins. One that nothing called for was planned, or follows a failure. */
  begin(): void {
    if (!this.#isCalled) this.#count(this.#planned);
    this.#isCalled = false;
    this.#planned = 'retry';
  }

  /** When the next pass is due, in ms on the monotonic clock. */
  plan(times: PassPlans): number {
    let first = Infinity;
    for (const reason of wakePlans) {
      const at = times[reason] ?? Infinity;
      if (at >= first) continue;
      first = at;
      this.#planned = reason;
    }
    return first;
  }
}
