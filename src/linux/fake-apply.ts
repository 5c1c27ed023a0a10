/** How a fake kernel carries out one change: the rules that `Kernel.apply` states. */

import type { AddressChange, WantedAddress } from '../model/address.ts';
import { addressBits, familyOf } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { foreignAddress, linkGone } from './change-failure.ts';
import type { FakeAddress, FakeAddressTable } from './fake-address-table.ts';
import type { ChangeFailure } from './kernel.ts';

export function applyToFake(
  change: AddressChange,
  link: Link | undefined,
  addresses: FakeAddressTable,
): ChangeFailure | undefined {
  if (link === undefined) return change.kind === 'remove' ? undefined : linkGone(change);
  const { ip, prefixLength } = change.address;
  const present = addresses.find(link.index, ip, prefixLength);
  if (change.kind !== 'remove') return ensurePresent(change, link, present, addresses);
  if (present?.prefixLength !== prefixLength) return undefined;
  if (!present.isOurs) return foreignAddress(change);
  addresses.restore(addresses.remove(present));
  return undefined;
}

function ensurePresent(
  change: AddressChange & { readonly address: WantedAddress },
  link: Link,
  present: FakeAddress | undefined,
  addresses: FakeAddressTable,
): ChangeFailure | undefined {
  const spec = { ...change.address, isOurs: true };
  if (present?.isOurs === false) return foreignAddress(change);
  if (!isPossible(spec)) return { change, code: 'Refused', errno: 'EINVAL', words: 'EINVAL' };
  if (present !== undefined && canRenew(present, spec)) {
    addresses.renew(present, spec);
    return undefined;
  }
  if (present !== undefined) addresses.restore(addresses.remove(present));
  addresses.add(link, spec);
  return undefined;
}

function isPossible({ ip, prefixLength, validSeconds, preferredSeconds }: WantedAddress): boolean {
  const fits = prefixLength >= 0 && prefixLength <= addressBits[familyOf(ip)];
  return fits && validSeconds > 0 && preferredSeconds <= validSeconds;
}

/** As in the real kernel: IPv4 keeps its flags and IPv6 its prefix length when replaced. */
function canRenew(present: FakeAddress, wanted: WantedAddress): boolean {
  if (present.prefixLength !== wanted.prefixLength) return false;
  return familyOf(wanted.ip) === 'ipv6' || present.noPrefixRoute === wanted.noPrefixRoute;
}
