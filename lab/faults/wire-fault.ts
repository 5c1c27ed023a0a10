import type { Segment } from '../network/segment.ts';
import type { WireFault } from '../network/wire-plan.ts';
import { type Fault, inflict } from './fault.ts';

export interface SegmentFault {
  readonly segment: Segment;
  readonly fault: WireFault;
}

/** Imposes faults on one or more segments, on each of them at once and on all side by side. */
export async function inflictOnWire(what: string, faults: readonly SegmentFault[]): Promise<Fault> {
  const bySegment = Map.groupBy(faults, ({ segment }) => segment);
  const onEach = async (act: (segment: Segment, own: readonly WireFault[]) => Promise<void>) => {
    const acts = [...bySegment].map(([segment, own]) =>
      act(
        segment,
        own.map(({ fault }) => fault),
      ),
    );
    await Promise.all(acts);
  };
  return inflict(what, {
    impose: () => onEach((segment, own) => segment.impose(own)),
    lift: () => onEach((segment, own) => segment.lift(own)),
  });
}
