/**
 * Which links can carry traffic. A short loss of carrier is ridden out; one that lasts as long as it takes others to
 * notice makes the link unready, and a link that comes back after that must prove itself for a while: spanning trees,
 * LACP and worn cables come back more than once.
 */

import type { FailoverTimings } from '../../model/agent-config.ts';
import type { Link } from '../../model/link.ts';

export type LinkHealth = 'ready' | 'down' | 'noCarrier' | 'settling';

/** What has been seen of each link, by index; all times in ms on the monotonic clock. */
export type LinkObservations = ReadonlyMap<number, LinkObservation>;

type LinkObservation =
  | { readonly kind: 'running' }
  /** `-Infinity`: it was not ready before either. */
  | { readonly kind: 'lost'; readonly at: number }
  | { readonly kind: 'returned'; readonly at: number };

export interface LinkJudgement {
  readonly health: ReadonlyMap<number, LinkHealth>;
  /** To be given back next time. */
  readonly observations: LinkObservations;
  /** When a verdict changes though nothing else does; `Infinity` if none will. */
  readonly wakeAt: number;
}

type Timings = Pick<FailoverTimings, 'probeIntervalMs' | 'misses' | 'linkSettleMs'>;

/** Links that are there at first sight are taken as they are; later ones have to settle. */
export function judgeLinks(
  links: readonly Link[],
  previous: LinkObservations | undefined,
  timings: Timings,
  now: number,
): LinkJudgement {
  const judged = links.map((link) => {
    const seen = observe(isRunning(link), previous?.get(link.index), timings, now);
    const observation = previous === undefined ? takeAsItIs(seen) : seen;
    return { index: link.index, observation, ...judge(link, observation, timings, now) };
  });
  return {
    health: new Map(judged.map(({ index, health }) => [index, health])),
    observations: new Map(judged.map(({ index, observation }) => [index, observation])),
    wakeAt: Math.min(...judged.map(({ changesAt }) => changesAt)),
  };
}

/** RFC 2863: a driver that does not tell is `unknown`, which is as good as up. */
function isRunning({ isUp, hasCarrier, operState }: Link): boolean {
  return isUp && hasCarrier && (operState === 'up' || operState === 'unknown');
}

/** How long it takes those who watch us to suspect us. */
function detectionMs({ probeIntervalMs, misses }: Timings): number {
  return probeIntervalMs * misses;
}

function takeAsItIs(seen: LinkObservation): LinkObservation {
  return seen.kind === 'returned' ? { kind: 'running' } : { kind: 'lost', at: -Infinity };
}

function observe(
  isRunningNow: boolean,
  previous: LinkObservation | undefined,
  timings: Timings,
  now: number,
): LinkObservation {
  if (!isRunningNow) return observeLoss(previous, timings, now);
  if (previous === undefined) return { kind: 'returned', at: now };
  if (previous.kind !== 'lost') return previous;
  const wasShort = now - previous.at < detectionMs(timings);
  return wasShort ? { kind: 'running' } : { kind: 'returned', at: now };
}

function observeLoss(
  previous: LinkObservation | undefined,
  { linkSettleMs }: Timings,
  now: number,
): LinkObservation {
  if (previous?.kind === 'lost') return previous;
  const wasReady =
    previous?.kind === 'running' ||
    (previous?.kind === 'returned' && now - previous.at >= linkSettleMs);
  return { kind: 'lost', at: wasReady ? now : -Infinity };
}

function judge(
  { isUp }: Link,
  observation: LinkObservation,
  timings: Timings,
  now: number,
): { readonly health: LinkHealth; readonly changesAt: number } {
  if (!isUp) return { health: 'down', changesAt: Infinity };
  if (observation.kind === 'running') return { health: 'ready', changesAt: Infinity };
  const isLost = observation.kind === 'lost';
  const changesAt = observation.at + (isLost ? detectionMs(timings) : timings.linkSettleMs);
  if (now >= changesAt) return { health: isLost ? 'noCarrier' : 'ready', changesAt: Infinity };
  return { health: isLost ? 'ready' : 'settling', changesAt };
}
