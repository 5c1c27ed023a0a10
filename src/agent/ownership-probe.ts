/** Asks the wire who owns the addresses in this kernel, for an agent that cannot read the cluster. */

import {
  type AdoptedVerdict,
  findRepliers,
  judgeAdopted,
} from '../decide/announcement/judge-adopted.ts';
import { pickSpares } from '../decide/announcement/spare-addresses.ts';
import { type HeldAddress, isHeldByUs } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import type { Mac } from '../model/mac.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { WireEar } from './wire-ear.ts';

export interface OwnershipProbeSetup {
  readonly ear: Pick<WireEar, 'ask' | 'attend' | 'drain' | 'looks' | 'announcements'>;
  readonly clock: Clock;
}

/** As just read. */
export interface KernelState {
  readonly links: readonly Link[];
  readonly held: readonly HeldAddress[];
}

/** Long enough for any host on the link that runs at all. */
const answerWithinMs = 40;

export class OwnershipProbe {
  readonly #setup: OwnershipProbeSetup;
  readonly #proxies = new Set<Mac>();
  readonly #askedAt = new Map<Ip, number>();

  constructor(setup: OwnershipProbeSetup) {
    this.#setup = setup;
  }

  /** Addresses that another host has announced since the last question. */
  findClaimed({ links }: KernelState): ReadonlySet<Ip> {
    const { ear } = this.#setup;
    ear.drain();
    const own = macsOf(links);
    const claimed = [...ear.announcements].filter(([ip, times]) => {
      const askedAt = this.#askedAt.get(ip) ?? -Infinity;
      return [...times].some(([mac, at]) => !own.has(mac) && at > askedAt);
    });
    return new Set(claimed.map(([ip]) => ip));
  }

  /** Links without ARP have nobody to ask: their addresses are on every node. */
  async ask(
    addresses: readonly HeldAddress[],
    state: KernelState,
  ): Promise<ReadonlyMap<Ip, AdoptedVerdict>> {
    const withArp = new Set(state.links.flatMap((link) => (link.isNoArp ? [] : [link.index])));
    const isAskable = ({ linkIndex }: HeldAddress) => withArp.has(linkIndex);
    this.#attend(state.links, state.held.filter(isHeldByUs).filter(isAskable));
    const local = new Map(addresses.filter(isAskable).map((address) => [address.ip, address]));
    if (local.size > 0) await this.#askTwice([...local.values()], state);
    const verdicts = new Map(
      addresses.map(({ ip }): [Ip, AdoptedVerdict] => [ip, { ownership: 'free' }]),
    );
    for (const [ip, address] of local) verdicts.set(ip, this.#judge(address, state));
    return verdicts;
  }

  #attend(links: readonly Link[], local: readonly HeldAddress[]): void {
    const used = new Set(local.map(({ linkIndex }) => linkIndex));
    const ips = new Set(local.map(({ ip }) => ip));
    this.#setup.ear.attend(
      links.filter(({ index }) => used.has(index)),
      ips,
    );
  }

  /** Frames are lost. Hosts that announced an address are also asked by unicast, which ARP suppression lets through. */
  async #askTwice(local: readonly HeldAddress[], state: KernelState): Promise<void> {
    const { ear, clock } = this.#setup;
    for (const isFirst of [true, false]) {
      const asks = local.map(({ ip, link }) => {
        return { ip, link, isFirst, to: [...(ear.announcements.get(ip)?.keys() ?? [])] };
      });
      ear.ask(asks, state.links);
      for (const { ip } of local) this.#askedAt.set(ip, clock.monotonic());
      await sleep(clock, answerWithinMs);
      ear.drain();
    }
    await this.#findProxies(local, state);
  }

  #judge({ ip, link }: HeldAddress, { links, held }: KernelState): AdoptedVerdict {
    const { ear } = this.#setup;
    return judgeAdopted({
      look: ear.looks.get(ip),
      announcedAt: ear.announcements.get(ip) ?? new Map(),
      ownMacs: macsOf(links),
      proxies: this.#proxies,
      isOnEveryNode: held.some((one) => one.ip === ip && one.link !== link && !one.isOurs),
    });
  }

  /** A proxy replies for addresses that nobody has. It is asked by unicast: it may delay its reply to a broadcast. */
  async #findProxies(local: readonly HeldAddress[], state: KernelState): Promise<void> {
    const { ear, clock } = this.#setup;
    const heldIps = new Set(state.held.map(({ ip }) => ip));
    const tests = [...this.#findSuspects(local, state)].flatMap(([mac, address]) => {
      const spares = pickSpares(address, heldIps);
      return spares.length === 0 ? [] : [{ mac, link: address.link, spares }];
    });
    if (tests.length === 0) return;
    const asks = tests.flatMap(({ mac, link, spares }) =>
      spares.map((ip) => ({ ip, link, isFirst: true, to: [mac], isPrivate: true })),
    );
    ear.ask(asks, state.links);
    await sleep(clock, answerWithinMs);
    ear.drain();
    for (const { mac, spares } of tests) {
      const replies = (ip: Ip) => ear.looks.get(ip)?.answers.some((each) => each.mac === mac);
      if (spares.every((ip) => replies(ip) === true)) this.#proxies.add(mac);
    }
  }

  /** Each host that replies, with one of the addresses that it replied for. */
  #findSuspects(
    local: readonly HeldAddress[],
    { links }: KernelState,
  ): ReadonlyMap<Mac, HeldAddress> {
    const known = { ownMacs: macsOf(links), proxies: this.#proxies };
    return new Map(
      local.flatMap((address) => {
        const look = this.#setup.ear.looks.get(address.ip);
        const repliers = look === undefined ? [] : findRepliers(look, known);
        return repliers.map((mac) => [mac, address] as const);
      }),
    );
  }
}

function macsOf(links: readonly Link[]): ReadonlySet<Mac> {
  return new Set(links.flatMap(({ mac }) => mac ?? []));
}
