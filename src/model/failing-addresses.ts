/** `purelb.io/failing` on a node's Lease: addresses that it could not put on its links, separated by commas. */

import { compareIps, type Ip, parseIp } from './ip.ts';
import { isProblem } from './parsed.ts';

/** A node on which more than that fails is in trouble that no list describes. */
const mostAddresses = 1000;

/** What is no address is passed over. */
export function parseFailing(text: string): readonly Ip[] {
  return text.split(',', mostAddresses).flatMap((part) => {
    const ip = parseIp(part.trim());
    return isProblem(ip) ? [] : [ip.value];
  });
}

/** In order, so that the same addresses are the same text. */
export function encodeFailing(ips: Iterable<Ip>): string {
  return [...new Set(ips)].sort(compareIps).slice(0, mostAddresses).join(',');
}
