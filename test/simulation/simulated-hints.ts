/** UDP between the simulated nodes: it goes where frames go, and waits while its receiver stands still. */

import type { DatagramListener, Datagrams } from '../../src/agent/datagrams.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakePort, FakeSegment } from '../../src/linux/fake-segment.ts';
import { familyOf, type Ip } from '../../src/model/ip.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import type { ProcessClock } from './process-clock.ts';

const latencyMs = 0.2;
/** Of what was sent lately: an attacker on the segment may have recorded it. */
const mostRecorded = 200;

interface Receiver {
  readonly nic: FakeNic;
  readonly clock: ProcessClock;
  /** The addresses that it listens on. */
  own: ReadonlySet<Ip>;
  listener: DatagramListener;
}

export interface Datagram {
  readonly bytes: Uint8Array;
  readonly from: Ip;
  readonly to: Ip;
}

/** All that is open, whoever has it. */
export class HintNetwork {
  readonly #receivers = new Set<Receiver>();
  readonly #clock: Clock;
  readonly #segment: FakeSegment;
  readonly #recorded: Datagram[] = [];

  constructor(clock: Clock, segment: FakeSegment) {
    this.#clock = clock;
    this.#segment = segment;
  }

  get recorded(): readonly Datagram[] {
    return this.#recorded;
  }

  /** `ips`: the node's own. */
  open(nic: FakeNic, ips: readonly Ip[], clock: ProcessClock, isOn: () => boolean): Datagrams {
    const receiver: Receiver = { nic, clock, own: new Set(), listener: () => {} };
    this.#receivers.add(receiver);
    return {
      attend: (own) => {
        receiver.own = new Set(own.map(({ ip }) => ip));
      },
      send: (bytes, to) => {
        const from = ips.find((ip) => familyOf(ip) === familyOf(to) && receiver.own.has(ip));
        if (!isOn() || from === undefined) return;
        this.#record({ bytes, from, to });
        this.carry({ bytes, from, to }, nic);
      },
      listen: (listener) => {
        receiver.listener = (bytes, from, at) => {
          if (isOn()) listener(bytes, from, at);
        };
      },
      close: () => this.#receivers.delete(receiver),
    };
  }

  /** From whatever port of the segment: the sender's address is what the packet says. */
  carry({ bytes, from: sender, to }: Datagram, from: FakePort): void {
    this.#clock.after(latencyMs, () => {
      for (const { nic, clock, own, listener } of this.#receivers) {
        // Any frame will do to ask whether the way is open.
        const frame = { kind: 'arp', operation: 'request', from: from.mac, to: nic.mac } as const;
        const station = { ip: to, mac: nic.mac };
        const probe = { ...frame, sender: station, target: station };
        if (!own.has(to) || !nic.addresses.has(to)) continue;
        if (this.#segment.passes(probe, from, nic)) clock.run(() => listener(bytes, sender, to));
      }
    });
  }

  #record(datagram: Datagram): void {
    this.#recorded.push(datagram);
    if (this.#recorded.length > mostRecorded) this.#recorded.shift();
  }
}
