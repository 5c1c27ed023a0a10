import type { HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Prefix } from '../model/prefix.ts';
import { asEthernet } from './as-ethernet.ts';

/** The node's own addresses, before it is known which links count: those of Services are ours, or on links without ARP. */
export function findOwn(held: readonly HeldAddress[], links: readonly Link[]): readonly Prefix[] {
  const able = new Set(links.flatMap(asEthernet).map(({ index }) => index));
  return held
    .filter(({ isOurs, linkIndex }) => !isOurs && able.has(linkIndex))
    .map(({ ip, prefixLength }) => ({ ip, length: prefixLength }));
}
