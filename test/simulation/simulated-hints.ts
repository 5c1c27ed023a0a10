/** UDP between the simulated nodes: it goes where frames go, and waits while its receiver stands still. */

import type { HintListener, Hints } from '../../src/agent/hints.ts';
import type { FakeNic } from '../../src/linux/fake-nic.ts';
import type { FakeSegment } from '../../src/linux/fake-segment.ts';
import { familyOf, type Ip } from '../../src/model/ip.ts';
import type { ManualClock } from '../../src/runtime/manual-clock.ts';
import type { Hint } from '../../src/wire/hint.ts';
import type { ProcessClock } from './process-clock.ts';

const latencyMs = 0.2;

interface Receiver {
  readonly nic: FakeNic;
  readonly clock: ProcessClock;
  listener: HintListener;
}

interface Sender {
  readonly nic: FakeNic;
  readonly ips: readonly Ip[];
}

/** All that is open, whoever has it. */
export class HintNetwork {
  readonly #receivers = new Set<Receiver>();
  readonly #clock: ManualClock;
  readonly #segment: FakeSegment;

  constructor(clock: ManualClock, segment: FakeSegment) {
    this.#clock = clock;
    this.#segment = segment;
  }

  /** `ips`: the node's own. */
  open(nic: FakeNic, ips: readonly Ip[], clock: ProcessClock, isOn: () => boolean): Hints {
    const receiver: Receiver = { nic, clock, listener: () => {} };
    this.#receivers.add(receiver);
    return {
      send: (hint, to) => {
        if (isOn()) for (const ip of to) this.#carry(hint, { nic, ips }, ip);
      },
      listen: (listener) => {
        receiver.listener = (hint, from) => {
          if (isOn()) listener(hint, from);
        };
      },
      close: () => this.#receivers.delete(receiver),
    };
  }

  #carry(hint: Hint, { nic: from, ips }: Sender, to: Ip): void {
    const answersTo = ips.find((ip) => familyOf(ip) === familyOf(to));
    this.#clock.after(latencyMs, () => {
      for (const { nic, clock, listener } of this.#receivers) {
        // Any frame will do to ask whether the way is open.
        const frame = { kind: 'arp', operation: 'request', from: from.mac, to: nic.mac } as const;
        const station = { ip: to, mac: nic.mac };
        const probe = { ...frame, sender: station, target: station };
        if (!nic.addresses.has(to) || !this.#segment.passes(probe, from, nic)) continue;
        clock.run(() => listener(hint, answersTo));
      }
    });
  }
}
