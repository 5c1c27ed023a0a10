import type { Ip } from '../model/ip.ts';
import type { Mac } from '../model/mac.ts';

interface Entry {
  readonly mac: Mac;
  readonly changedAt: number;
}

/** A second change so soon is not believed, unless it is a gratuitous announcement (sysctl `locktime`). */
const lockedMs = 1000;

/** What a host believes about its neighbours. Entries do not age; whoever stops believing one forgets it. */
export class FakeNeighbourTable {
  /** Counts changes. */
  revision = 0;
  readonly #entries = new Map<Ip, Entry>();

  get(ip: Ip): Mac | undefined {
    return this.#entries.get(ip)?.mac;
  }

  forget(ip: Ip): void {
    if (this.#entries.delete(ip)) this.revision += 1;
  }

  /** Makes an entry, or changes it. */
  learn(ip: Ip, mac: Mac, at: number): void {
    if (this.get(ip) === mac) return;
    this.#entries.set(ip, { mac, changedAt: at });
    this.revision += 1;
  }

  /** Changes an entry that exists: hearsay makes none. */
  update(ip: Ip, mac: Mac, at: number, isTrusted: boolean): void {
    const entry = this.#entries.get(ip);
    if (entry === undefined) return;
    if (isTrusted || at - entry.changedAt > lockedMs) this.learn(ip, mac, at);
  }
}
