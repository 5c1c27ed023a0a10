/** The first act of a starting agent, before any call to the API server: what its predecessor left is kept alive. */

import { planAdoption } from '../decide/announcement/adopt.ts';
import type { Kernel } from '../linux/kernel.ts';
import type { HeldAddress } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { WireEar } from './wire-ear.ts';

export interface AdoptionSetup {
  readonly kernel: Kernel;
  readonly ear: WireEar;
  readonly clock: Clock;
  readonly log: Log;
  readonly graceSeconds: number;
}

export interface Adopted {
  readonly held: readonly HeldAddress[];
  readonly links: readonly Link[];
  /** When to do it again, should the cluster still be unknown. */
  readonly wakeAt: number;
}

/** Long enough for any host on the link that runs at all. */
const answerWithinMs = 40;

/** Addresses that another host answers for are not kept: someone took over meanwhile. */
export async function adoptAddresses(setup: AdoptionSetup, isStart: boolean): Promise<Adopted> {
  const { kernel, clock, log, graceSeconds } = setup;
  const [links, held] = await Promise.all([kernel.links(), kernel.addresses()]);
  const ours = held.filter(({ isOurs }) => isOurs);
  const answered = isStart ? await findAnswered(setup, links, ours) : new Set<Ip>();
  const now = clock.monotonic();
  const { changes, wakeAt } = planAdoption({ held, answered, graceSeconds, isStart, now });
  const failures = await kernel.apply(changes.map(({ change }) => change));
  if (isStart && ours.length > 0) {
    const counts = { addresses: ours.length, rearmed: changes.length, answered: answered.size };
    log.info('Adopted addresses', { ...counts, failures: failures.length });
  }
  return { held: changes.length === 0 ? held : await kernel.addresses(), links, wakeAt };
}

async function findAnswered(
  { ear, clock }: AdoptionSetup,
  links: readonly Link[],
  ours: readonly HeldAddress[],
): Promise<ReadonlySet<Ip>> {
  const byIndex = new Map(links.map((link) => [link.index, link]));
  const local = ours.filter(({ linkIndex }) => byIndex.get(linkIndex)?.isNoArp === false);
  if (local.length === 0) return new Set();
  const used = new Set(local.map(({ linkIndex }) => linkIndex));
  const ips = new Set(local.map(({ ip }) => ip));
  ear.attend(
    links.filter(({ index }) => used.has(index)),
    ips,
  );
  ear.ask(
    local.map(({ ip, link }) => ({ ip, link, isFirst: true, to: [] })),
    links,
  );
  await sleep(clock, answerWithinMs);
  ear.drain();
  const own = new Set(links.map(({ mac }) => mac));
  const hasAnswer = (ip: Ip) => ear.looks.get(ip)?.answers.some(({ mac }) => !own.has(mac));
  return new Set([...ips].filter((ip) => hasAnswer(ip) === true));
}
