/** From changes to the requests that carry them out: which, in which order, and which refusals mean "already so". */

import type { AddressChange, WantedAddress } from '../model/address.ts';
import { familyOf } from '../model/ip.ts';
import { isOurMark, ourAddressPriority, ourAddressProtocol } from '../model/ownership.ts';
import { lastOf } from '../model/prefix.ts';
import {
  type AddressMessage,
  encodeAddress,
  IFA_F_DEPRECATED,
  IFA_F_NODAD,
  IFA_F_NOPREFIXROUTE,
  IFA_F_PERMANENT,
  IFA_F_SECONDARY,
  RTM_DELADDR,
  RTM_NEWADDR,
} from '../wire/address-message.ts';
import { NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from '../wire/netlink-message.ts';
import { foreignAddress, heldUnread, linkGone } from './change-failure.ts';
import { HeldTable } from './held-table.ts';
import type { ChangeFailure } from './kernel.ts';
import { errno } from './libc.ts';
import type { NetlinkRequest } from './netlink-connection.ts';
import { Turn } from './turn.ts';

export interface Step {
  /** The change that this is part of. */
  readonly change: AddressChange;
  readonly request: NetlinkRequest;
  /** Errnos that mean the step was not needed. */
  readonly tolerated: readonly number[];
  /** What it does where that is not the change itself. */
  readonly purpose?: string;
}

export interface Situation {
  /** Undefined: there is no such link. */
  readonly linkIndex: (name: string) => number | undefined;
  /** Undefined: not read, so that only plain additions, which cannot harm what is there, are possible. */
  readonly held: HeldTable | undefined;
  readonly whyUnread?: string;
}

export interface Steps {
  readonly steps: readonly Step[];
  readonly failures: readonly ChangeFailure[];
}

/** Asynchronous only to give others their turn: thousands of changes may take a while. */
export async function planSteps(
  changes: readonly AddressChange[],
  situation: Situation,
): Promise<Steps> {
  const planner = new StepPlanner(changes, situation);
  const turn = new Turn();
  for (const [index, change] of changes.entries()) {
    if (index % 64 === 63 && turn.isOver()) await turn.next();
    planner.plan(change, index);
  }
  return planner;
}

class StepPlanner implements Steps {
  readonly steps: Step[] = [];
  readonly failures: ChangeFailure[] = [];
  readonly #situation: Situation;
  /** Where in the list an address is removed for the last time. */
  readonly #lastRemoval = new Map<string, number>();

  constructor(changes: readonly AddressChange[], situation: Situation) {
    this.#situation = situation;
    for (const [index, { kind, address }] of changes.entries()) {
      if (kind !== 'remove') continue;
      const linkIndex = situation.linkIndex(address.link);
      if (linkIndex !== undefined) this.#lastRemoval.set(placeOf({ ...address, linkIndex }), index);
    }
  }

  plan(change: AddressChange, index: number): void {
    const linkIndex = this.#situation.linkIndex(change.address.link);
    if (linkIndex === undefined) {
      // An address on a link that is gone is gone.
      if (change.kind !== 'remove') this.failures.push(linkGone(change));
    } else if (change.kind === 'remove') {
      this.#planRemoval(change, index, linkIndex);
    } else {
      this.#planPresence(change, index, wantedMessage(change.address, linkIndex));
    }
  }

  #planRemoval(change: AddressChange & { kind: 'remove' }, index: number, linkIndex: number): void {
    const { held, whyUnread = 'not tried' } = this.#situation;
    const { ip, prefixLength } = change.address;
    if (held === undefined) {
      this.failures.push(heldUnread(change, whyUnread));
      return;
    }
    const present = held.find({ linkIndex, ip, prefixLength });
    if (present === undefined || present.prefixLength !== prefixLength) return;
    if (isOurMark(present)) this.#remove(change, index, present, held);
    else this.failures.push(foreignAddress(change));
  }

  #planPresence(change: AddressChange, index: number, wanted: AddressMessage): void {
    const { held, whyUnread = 'not tried' } = this.#situation;
    const present = held?.find(wanted);
    if (held === undefined && change.kind === 'refresh') {
      this.failures.push(heldUnread(change, whyUnread));
    } else if (present === undefined) this.#add(change, wanted, held);
    else if (!isOurMark(present)) this.failures.push(foreignAddress(change));
    else if (canReplace(present, wanted)) this.#send(change, replacement(wanted));
    else {
      this.#remove(change, index, present, held);
      this.#add(change, wanted, held);
    }
  }

  #add(change: AddressChange, wanted: AddressMessage, held: HeldTable | undefined): void {
    this.#send(change, addition(wanted));
    held?.add(wanted);
  }

  /**
   * Whether the kernel removes a primary's secondaries with it depends on the sysctl `promote_secondaries`: adding
   * them again right behind is right in both cases.
   */
  #remove(
    change: AddressChange,
    index: number,
    present: AddressMessage,
    held = new HeldTable([]),
  ): void {
    const survivors = held
      .dependentsOf(present)
      .filter((dependent) => !this.#isRemovedAfter(index, dependent));
    this.#send(change, removal(present), { tolerated: [errno.EADDRNOTAVAIL, errno.ENODEV] });
    held.remove(present);
    for (const survivor of survivors) {
      const restored = asRequested(survivor);
      const purpose = `keep ${survivor.ip}/${survivor.prefixLength}`;
      this.#send(change, addition(restored), { tolerated: [errno.EEXIST], purpose });
      held.remove(survivor);
      held.add(restored);
    }
  }

  #send(
    change: AddressChange,
    request: NetlinkRequest,
    more: { readonly tolerated?: readonly number[]; readonly purpose?: string } = {},
  ): void {
    this.steps.push({ change, request, tolerated: [], ...more });
  }

  #isRemovedAfter(index: number, message: AddressMessage): boolean {
    const removedAt = this.#lastRemoval.get(placeOf(message));
    return removedAt !== undefined && removedAt > index && isOurMark(message);
  }
}

function placeOf(place: Pick<AddressMessage, 'linkIndex' | 'ip' | 'prefixLength'>): string {
  return `${place.linkIndex} ${place.ip}/${place.prefixLength}`;
}

/** IPv4 keeps its flags and IPv6 its prefix length when replaced, without an error. */
function canReplace(present: AddressMessage, wanted: AddressMessage): boolean {
  if (present.prefixLength !== wanted.prefixLength) return false;
  if (familyOf(wanted.ip) === 'ipv6') return true;
  return ((present.flags ^ wanted.flags) & IFA_F_NOPREFIXROUTE) === 0;
}

function wantedMessage(wanted: WantedAddress, linkIndex: number): AddressMessage {
  const { ip, prefixLength, validSeconds, preferredSeconds } = wanted;
  const isIpv4 = familyOf(ip) === 'ipv4';
  return {
    linkIndex,
    ip,
    prefixLength,
    flags:
      (wanted.noPrefixRoute ? IFA_F_NOPREFIXROUTE : 0) |
      (wanted.noDad && !isIpv4 ? IFA_F_NODAD : 0),
    scope: 0,
    ...(isIpv4 && prefixLength < 31 && { broadcast: lastOf({ ip, length: prefixLength }) }),
    lifetime: { validSeconds, preferredSeconds, created: 0, updated: 0 },
    protocol: ourAddressProtocol,
    priority: ourAddressPriority,
  };
}

/** A dumped address as a request that adds it: without the flags that only the kernel sets. */
function asRequested(message: AddressMessage): AddressMessage {
  const flags = message.flags & ~(IFA_F_SECONDARY | IFA_F_PERMANENT | IFA_F_DEPRECATED);
  const { lifetime } = message;
  if (lifetime === undefined) return { ...message, flags };
  // Rounded down to 0 when less than a second is left, which would be refused.
  const validSeconds = Math.max(1, lifetime.validSeconds);
  return { ...message, flags, lifetime: { ...lifetime, validSeconds } };
}

/** Fails if the address is there: nobody's address is taken over by adding. */
function addition(message: AddressMessage): NetlinkRequest {
  return {
    type: RTM_NEWADDR,
    flags: NLM_F_CREATE | NLM_F_EXCL,
    encodeBody: () => encodeAddress(message),
  };
}

function replacement(message: AddressMessage): NetlinkRequest {
  return {
    type: RTM_NEWADDR,
    flags: NLM_F_CREATE | NLM_F_REPLACE,
    encodeBody: () => encodeAddress(message),
  };
}

function removal({ linkIndex, ip, prefixLength, peer }: AddressMessage): NetlinkRequest {
  const message = { linkIndex, ip, prefixLength, flags: 0, scope: 0 };
  const whole = peer === undefined ? message : { ...message, peer };
  return { type: RTM_DELADDR, encodeBody: () => encodeAddress(whole) };
}
