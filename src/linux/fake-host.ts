/** A machine in memory, with as many links as it is given. */

import type { Ip } from '../model/ip.ts';
import { FakeNic, type FakeNicOptions } from './fake-nic.ts';

export class FakeHost {
  /** A dead one neither hears nor says anything. */
  isAlive = true;
  /** The sysctl: 0 answers ARP for the addresses of every link, 1 only for those of the link that was asked. */
  arpIgnore: 0 | 1 = 0;
  readonly #nics = new Map<number, FakeNic>();

  addNic(options: FakeNicOptions): FakeNic {
    const nic = new FakeNic(this, options);
    this.#nics.set(nic.link.index, nic);
    return nic;
  }

  /** As `ip link delete`. */
  removeNic(index: number, at: number): void {
    const nic = this.#nics.get(index);
    this.#nics.delete(index);
    nic?.remove(at);
  }

  nic(index: number): FakeNic | undefined {
    return this.#nics.get(index);
  }

  /** On whichever link: Linux delivers to any of its addresses, wherever the packet came in. */
  holds(ip: Ip): boolean {
    return [...this.#nics.values()].some(({ addresses }) => addresses.has(ip));
  }
}
