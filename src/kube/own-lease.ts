import type { OwnerReference } from '../model/kube-object.ts';
import type { Clock } from '../runtime/clock.ts';
import { isAlreadyExists, isConflict, isNotFound } from './api-error.ts';
import type { Cluster } from './cluster.ts';
import type { LeaseObject, LeaseSpec } from './lease-object.ts';
import { microTime } from './micro-time.ts';
import type { ObjectRef } from './resource.ts';
import { leases } from './resources.ts';

/** What the Lease is to say. Labels and annotations of others stay. */
export interface LeaseWish {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  /** The time of renewal is added. */
  readonly spec: Omit<LeaseSpec, 'renewTime'>;
}

export interface OwnLeaseOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly ref: ObjectRef;
  /** Asked when the Lease is not as we left it: whether we may write over what is there now. */
  readonly mayReplace?: (found: LeaseObject) => boolean;
  /** For each call to the server: a hung one must not cost the whole duration. */
  readonly withinMs?: () => number;
}

/** Somebody else holds the Lease now, and `mayReplace` would not have us write over it. */
export class LeaseTakenError extends Error {
  override readonly name = 'LeaseTakenError';
  readonly found: LeaseObject;

  constructor(found: LeaseObject) {
    super(`lease ${found.metadata.name} is held by "${found.spec?.holderIdentity ?? ''}"`);
    this.found = found;
  }
}

const mostTries = 3;

/**
 * One Lease that this process keeps alive. Each renewal is one write against the version that we wrote last; only
 * when somebody interfered is it read again. A Lease that vanished is made anew.
 */
export class OwnLease {
  readonly #options: OwnLeaseOptions;
  #known: LeaseObject | undefined;

  constructor(options: OwnLeaseOptions) {
    this.#options = options;
  }

  /** As we last wrote or read it. */
  get known(): LeaseObject | undefined {
    return this.#known;
  }

  /** Tells what the Lease is like now, as a watch or an earlier read saw it. */
  note(found: LeaseObject | undefined): void {
    this.#known = found;
  }

  async read(signal?: AbortSignal): Promise<LeaseObject | undefined> {
    const { cluster, ref } = this.#options;
    try {
      this.#known = await cluster.get(leases, ref, this.#call(signal));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#known = undefined;
    }
    return this.#known;
  }

  async write(wish: LeaseWish, signal?: AbortSignal): Promise<LeaseObject> {
    for (let tries = 1; ; tries += 1) {
      try {
        this.#known = await this.#writeOnce(wish, signal);
        return this.#known;
      } catch (error) {
        const isOther = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
        if (!isOther || tries >= mostTries) throw error;
        await this.#readToReplace(signal);
      }
    }
  }

  /** Deletes it while it is still ours to write over; true unless somebody else's is there now. */
  async delete(signal?: AbortSignal): Promise<boolean> {
    for (let tries = 1; this.#known !== undefined; tries += 1) {
      try {
        await this.#deleteOnce(this.#known, signal);
        this.#known = undefined;
      } catch (error) {
        if (error instanceof LeaseTakenError) return false;
        if (!isConflict(error) || tries >= mostTries) throw error;
      }
    }
    return true;
  }

  async #deleteOnce({ metadata }: LeaseObject, signal: AbortSignal | undefined): Promise<void> {
    const { cluster, ref } = this.#options;
    const { uid = '', resourceVersion = '' } = metadata;
    const preconditions = { uid, resourceVersion };
    try {
      await cluster.delete(leases, ref, { ...this.#call(signal), preconditions });
    } catch (error) {
      if (isConflict(error)) await this.#readToReplace(signal);
      if (!isNotFound(error)) throw error;
    }
  }

  #writeOnce(wish: LeaseWish, signal: AbortSignal | undefined): Promise<LeaseObject> {
    const { cluster } = this.#options;
    const lease = this.#compose(wish);
    const call = this.#call(signal);
    return this.#known === undefined
      ? cluster.create(leases, lease, call)
      : cluster.replace(leases, lease, call);
  }

  #compose({ labels, annotations, ownerReferences, spec }: LeaseWish): LeaseObject {
    const { namespace, name } = this.#options.ref;
    const before = this.#known?.metadata;
    return {
      metadata: {
        ...before,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        labels: { ...before?.labels, ...labels },
        annotations: { ...before?.annotations, ...annotations },
        ...(ownerReferences === undefined ? {} : { ownerReferences }),
      },
      spec: { ...spec, renewTime: microTime(this.#options.clock.now()) },
    };
  }

  async #readToReplace(signal: AbortSignal | undefined): Promise<void> {
    const found = await this.read(signal);
    const { mayReplace = () => true } = this.#options;
    if (found !== undefined && !mayReplace(found)) throw new LeaseTakenError(found);
  }

  #call(signal: AbortSignal | undefined) {
    return { signal, isUrgent: true, withinMs: this.#options.withinMs?.() ?? 5_000 };
  }
}
