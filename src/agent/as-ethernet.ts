import type { EthernetLink, Link } from '../model/link.ts';

/** Links without ARP have nobody to ask. */
export function asEthernet({ index, name, mac, isNoArp, isLoopback }: Link): EthernetLink[] {
  return mac === undefined || isNoArp || isLoopback ? [] : [{ index, name, mac }];
}
