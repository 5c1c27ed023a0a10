/** Counts what is said on the segments of a lab, from a packet socket on each one's bridge. */

import { PacketReceiver } from '../../src/linux/packet-receiver.ts';
import type { Clock } from '../../src/runtime/clock.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Segment } from '../network/segment.ts';
import { run } from '../process/run.ts';
import type { Tally } from './rates.ts';
import { activityFilter, classifyFrame } from './wire-activity.ts';

export class WireMeter {
  readonly #receivers: PacketReceiver[] = [];
  readonly #tallies = new Map<string, Record<string, number>>();

  /** Frames so far, by kind, for each segment. */
  get tallies(): ReadonlyMap<string, Tally> {
    return this.#tallies;
  }

  async listen(segment: Segment, clock: Clock): Promise<void> {
    const { namespace, bridge, name } = segment;
    // Otherwise a bridge shows only what is sent to itself, and what is for everyone.
    await run(['ip', '-n', namespace, 'link', 'set', bridge, 'promisc', 'on']);
    const shown = await run(['ip', '-n', namespace, '-j', 'link', 'show', bridge]);
    const [{ ifindex: linkIndex }] = JSON.parse(shown.stdout) as [{ ifindex: number }];
    const tally: Record<string, number> = {};
    const receiver = inNamespace(namespace, () =>
      PacketReceiver.open({
        linkIndex,
        filter: activityFilter,
        clock,
        listener: {
          onFrame: (bytes) => count(tally, classifyFrame(bytes)),
          onLost: () => {},
          onLinkDown: () => {},
          onLinkGone: () => {},
        },
      }),
    );
    if (typeof receiver === 'number') return;
    this.#receivers.push(receiver);
    this.#tallies.set(name, tally);
  }

  close(): void {
    for (const receiver of this.#receivers) receiver.close();
  }
}

function count(tally: Record<string, number>, kind: string | undefined): void {
  if (kind !== undefined) tally[kind] = (tally[kind] ?? 0) + 1;
}
