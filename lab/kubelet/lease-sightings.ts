import type { LeaseObject } from '../../src/kube/lease-object.ts';

interface Sighting {
  readonly renewTime: string;
  /** Monotonic milliseconds. */
  at: number;
}

/** Judges Leases by when a change of theirs was seen here: clocks of others do not matter. */
export class LeaseSightings {
  readonly #sightings = new Map<string, Sighting>();

  /**
   * By how much each Lease has expired, of those that have. If all have, then it is we who hear nobody: nobody is
   * judged, and all get their time again.
   */
  silentForMs(leases: readonly LeaseObject[], now: number): ReadonlyMap<string, number> {
    const overdue = new Map<string, number>();
    for (const lease of leases) {
      const late = now - this.#note(lease, now).at - 1000 * (lease.spec?.leaseDurationSeconds ?? 0);
      if (late > 0) overdue.set(lease.metadata.name, late);
    }
    if (leases.length === 0 || overdue.size < leases.length) return overdue;
    for (const sighting of this.#sightings.values()) sighting.at = now;
    return new Map();
  }

  #note({ metadata, spec }: LeaseObject, now: number): Sighting {
    const { renewTime = '' } = spec ?? {};
    const known = this.#sightings.get(metadata.name);
    if (known?.renewTime === renewTime) return known;
    const seen = { renewTime, at: now };
    this.#sightings.set(metadata.name, seen);
    return seen;
  }
}
