/** This node's Lease: renewed in time, at once when it has something else to say, made anew when it is gone. */

import type { LifetimePromise } from '../decide/announcement/lifetime-promise.ts';
import { isPromiseOver } from '../decide/failover/end-of-lifetime.ts';
import { Bell } from '../kube/bell.ts';
import type { Cluster } from '../kube/cluster.ts';
import { type LeaseWish, OwnLease } from '../kube/own-lease.ts';
import { leaseAnnotations } from '../model/annotations.ts';
import type { Ip } from '../model/ip.ts';
import { encodeLifetimes, noLifetimes, parseLifetimes } from '../model/kernel-lifetimes.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { leaseLabels, nodeLeasePrefix } from '../model/well-known-names.ts';
import type { Clock } from '../runtime/clock.ts';

export interface MembershipSetup {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly namespace: string;
  readonly node: string;
  readonly instance: string;
  readonly durationMs: number;
  /** In seconds, for how long the kernel keeps what it has, or will once this is told, by address. */
  readonly lifetimes: () => ReadonlyMap<Ip, number>;
  readonly onRenewed: (lease: KubeObject) => void;
  /** So many times in a row. */
  readonly onFailed: (error: unknown, failures: number) => void;
  /** It was renewed after a failure: the API server is in reach again. */
  readonly onRecovered: () => void;
  /** The others can count on it again, or no longer. */
  readonly onHealth: (isHealthy: boolean) => void;
}

export interface LeasePromise {
  /** `purelb.io/subnets`. */
  readonly subnets: string;
  /** `purelb.io/links`. */
  readonly links: string;
  /** `purelb.io/failing`. */
  readonly failing: string;
  /** `purelb.io/unmarked`. */
  readonly unmarked: string;
  /** `purelb.io/handing`. */
  readonly handing: string;
  /** `purelb.io/peer-keys`. */
  readonly peerKeys: string;
  /** `purelb.io/conflicts`. */
  readonly conflicts: string;
  /** Of our Node; the Lease goes with it. */
  readonly nodeUid: string;
}

const retryMs = 1_000;
/** While addresses change: what the Lease says of lifetimes may wait for so long, and then all of it is said at once. */
const renewEveryMs = 2_000;
/** The right to delete it may have been taken away before. */
const leaveMs = 2_000;

export class Membership {
  readonly leaseName: string;
  readonly #setup: MembershipSetup;
  readonly #lease: OwnLease;
  readonly #bell = new Bell();
  #promise: LeasePromise | undefined;
  #written: LeasePromise | undefined;
  #renewedAt = -Infinity;
  #shortestSeconds = Infinity;
  #told = noLifetimes;
  #isRenewalPlanned = false;
  /** In a row. */
  #failures = 0;
  #wasHealthy = false;
  #onWritten: () => void = () => {};

  constructor(setup: MembershipSetup) {
    this.#setup = setup;
    const { cluster, clock, namespace, node, durationMs } = setup;
    this.leaseName = `${nodeLeasePrefix}${node}`;
    const ref = { namespace, name: this.leaseName };
    this.#lease = new OwnLease({ cluster, clock, ref, withinMs: () => durationMs / 3 });
  }

  /** When it was last renewed with success, in ms on the monotonic clock. */
  get renewedAt(): number {
    return this.#renewedAt;
  }

  get isHealthy(): boolean {
    return this.#setup.clock.monotonic() - this.#renewedAt < this.#setup.durationMs;
  }

  /** It is not renewed, and was told to last no longer than until now: others may have taken over. */
  get isLapsed(): boolean {
    if (this.isHealthy) return false;
    const promise = { renewedAt: this.#renewedAt, shortestSeconds: this.#shortestSeconds };
    return isPromiseOver(promise, this.#setup.clock.monotonic());
  }

  get durationMs(): number {
    return this.#setup.durationMs;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** What the other members can know of lifetimes in this kernel. */
  get lifetimePromise(): LifetimePromise {
    const { isFailing } = this;
    return { writtenAt: this.#renewedAt, lifetimes: this.#told, isFailing };
  }

  promise(promise: LeasePromise): void {
    if (JSON.stringify(promise) === JSON.stringify(this.#promise)) return;
    this.#promise = promise;
    this.#bell.ring();
  }

  /** Resolves when everything that was promised is written, or when the time is up. */
  async flush(withinMs: number): Promise<void> {
    if (this.#written === this.#promise) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#setup.clock.after(withinMs, resolve);
      this.#onWritten = () => {
        if (this.#written !== this.#promise) return;
        cancel();
        resolve();
      };
    });
  }

  /** What it says of lifetimes is no longer true: they are longer now. At most once in two seconds. */
  renewSoon(): void {
    const { clock } = this.#setup;
    if (this.#isRenewalPlanned) return;
    this.#isRenewalPlanned = true;
    clock.after(Math.max(0, this.#renewedAt + renewEveryMs - clock.monotonic()), () => {
      this.#isRenewalPlanned = false;
      this.#bell.ring();
    });
  }

  /** At once: whether the API server is in reach is about to matter. */
  renewNow(): void {
    this.#bell.ring();
  }

  /** The watch told that it is gone. */
  noteGone(): void {
    this.#lease.note(undefined);
    this.#bell.ring();
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, durationMs } = this.#setup;
    while (!signal.aborted) {
      const isWell = this.#promise === undefined || (await this.#renew(this.#promise, signal));
      const isCurrent = this.#written === this.#promise;
      const ms = isWell ? durationMs / 2 : retryMs;
      if (isCurrent || !isWell) await this.#bell.wait(clock, ms, signal);
    }
  }

  /** A last renewal, so that others know how long what is left behind will last. To be called when `run` is over. */
  async farewell(): Promise<void> {
    const promise = this.#promise;
    if (promise !== undefined) await this.#lastly((signal) => this.#renew(promise, signal));
  }

  /** For good: nobody waits for a node that PureLB was taken from. To be called when `run` is over. */
  async leave(): Promise<void> {
    await this.#lastly((signal) => this.#lease.delete(signal));
  }

  async #lastly(act: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { clock, onFailed } = this.#setup;
    const late = new AbortController();
    const cancel = clock.after(leaveMs, () => late.abort());
    try {
      await act(late.signal);
    } catch (error) {
      onFailed(error, 1);
    } finally {
      cancel();
    }
  }

  async #renew(promise: LeasePromise, signal: AbortSignal): Promise<boolean> {
    const { clock, onRenewed, onRecovered, onFailed } = this.#setup;
    const startedAt = clock.monotonic();
    const lifetimes = this.#setup.lifetimes();
    try {
      const told = encodeLifetimes(lifetimes);
      const lease = await this.#lease.write(this.#wish(promise, told), signal);
      this.#written = promise;
      this.#onWritten();
      this.#renewedAt = startedAt;
      this.#told = parseLifetimes(told);
      this.#shortestSeconds = Math.min(...lifetimes.values());
      if (this.#failures > 0) onRecovered();
      this.#failures = 0;
      onRenewed(lease);
      this.#tellHealth();
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      this.#failures += 1;
      onFailed(error, this.#failures);
      this.#tellHealth();
      return false;
    }
  }

  #tellHealth(): void {
    const { isHealthy } = this;
    if (isHealthy !== this.#wasHealthy) this.#setup.onHealth(isHealthy);
    this.#wasHealthy = isHealthy;
  }

  #wish(
    { subnets, links, failing, unmarked, handing, peerKeys, conflicts, nodeUid }: LeasePromise,
    lifetimes: string,
  ): LeaseWish {
    const { node, instance, durationMs } = this.#setup;
    return {
      labels: leaseLabels,
      annotations: {
        [leaseAnnotations.subnets]: subnets,
        [leaseAnnotations.instance]: instance,
        [leaseAnnotations.links]: links,
        [leaseAnnotations.failing]: failing,
        [leaseAnnotations.unmarked]: unmarked,
        [leaseAnnotations.handing]: handing,
        [leaseAnnotations.peerKeys]: peerKeys,
        [leaseAnnotations.conflicts]: conflicts,
        [leaseAnnotations.lifetimes]: lifetimes,
      },
      ...(nodeUid === ''
        ? {}
        : { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid }] }),
      spec: { holderIdentity: node, leaseDurationSeconds: Math.floor(durationMs / 1000) },
    };
  }
}
