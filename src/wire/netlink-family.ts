/** Address families by their Linux numbers (linux/socket.h). */

import type { Family } from '../model/ip.ts';

export const AF_UNSPEC = 0;
export const AF_INET = 2;
export const AF_BRIDGE = 7;
export const AF_INET6 = 10;

export const familyNumber = { ipv4: AF_INET, ipv6: AF_INET6 } as const satisfies Record<
  Family,
  number
>;

/** Undefined for what is neither IPv4 nor IPv6. */
export function familyFromNumber(number: number): Family | undefined {
  if (number === AF_INET) return 'ipv4';
  if (number === AF_INET6) return 'ipv6';
  return undefined;
}
