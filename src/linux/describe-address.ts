import type { HeldAddress } from '../model/address.ts';

/** `eth0: 192.0.2.10/24 ours 300s noprefixroute secondary`: state as text, for tests and people. */
export function describeAddress(address: HeldAddress): string {
  const { link, ip, prefixLength, validSeconds } = address;
  const words = [
    `${link}: ${ip}/${prefixLength}`,
    address.isOurs ? 'ours' : 'foreign',
    validSeconds === Infinity ? 'forever' : `${validSeconds}s`,
    address.noPrefixRoute && 'noprefixroute',
    address.isSecondary && 'secondary',
    address.isDeprecated && 'deprecated',
    address.isTentative && 'tentative',
    address.hasFailedDad && 'dadfailed',
  ];
  return words.filter((word) => word !== false).join(' ');
}
