import type { AddressScope, HeldAddress } from '../model/address.ts';
import { familyOf } from '../model/ip.ts';
import { isOurMark } from '../model/ownership.ts';
import {
  type AddressMessage,
  IFA_F_DADFAILED,
  IFA_F_DEPRECATED,
  IFA_F_NOPREFIXROUTE,
  IFA_F_OPTIMISTIC,
  IFA_F_SECONDARY,
  IFA_F_TENTATIVE,
} from '../wire/address-message.ts';

const scopes = new Map<number, AddressScope>([
  [0, 'global'],
  [200, 'site'],
  [253, 'link'],
  [254, 'host'],
  [255, 'nowhere'],
]);

/** The kernel's description of an address in our words; it knows the link by number only. */
export function heldAddress(message: AddressMessage, link: string): HeldAddress {
  const { ip, flags, lifetime } = message;
  return {
    linkIndex: message.linkIndex,
    link,
    ip,
    prefixLength: message.prefixLength,
    validSeconds: lifetime?.validSeconds ?? Infinity,
    preferredSeconds: lifetime?.preferredSeconds ?? Infinity,
    noPrefixRoute: (flags & IFA_F_NOPREFIXROUTE) !== 0,
    isOurs: isOurMark(message),
    isSecondary: (flags & IFA_F_SECONDARY) !== 0 && familyOf(ip) === 'ipv4',
    // An optimistic address (RFC 4429) is answered for while it is still being checked.
    isTentative: (flags & IFA_F_TENTATIVE) !== 0 && (flags & IFA_F_OPTIMISTIC) === 0,
    isDeprecated: (flags & IFA_F_DEPRECATED) !== 0,
    hasFailedDad: (flags & IFA_F_DADFAILED) !== 0,
    scope: scopes.get(message.scope) ?? 'global',
  };
}
