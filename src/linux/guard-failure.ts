/** Why the guard could not be put up, as far as the kernel says. */

import type { GuardFailureCode } from './guard.ts';
import { errno } from './libc.ts';
import type { NetlinkError } from './netlink-error.ts';
import { openingSocket } from './netlink-socket.ts';

export interface GuardFailure {
  readonly kind: 'failed';
  readonly code: GuardFailureCode;
  readonly words: string;
}

/** The question that any nf_tables can answer, and only nf_tables. */
export const firstQuestion = 'ask nf_tables';

/** How a kernel says that it knows neither the question nor whom to ask. */
const unknownThere: readonly (number | undefined)[] = [
  errno.EINVAL,
  errno.EOPNOTSUPP,
  errno.EPROTONOSUPPORT,
  errno.EAFNOSUPPORT,
];
/** How nf_tables says that a kind of table, chain, set or expression was not built. */
const notBuilt: readonly (number | undefined)[] = [
  errno.ENOENT,
  errno.EOPNOTSUPP,
  errno.EAFNOSUPPORT,
];

export function judgeGuardError(error: NetlinkError): GuardFailure {
  const { code, operation, message } = error;
  if (code !== 'NETLINK_REFUSED') return failed('Unknown', message);
  const isFirst = operation === firstQuestion || operation === openingSocket;
  if (isFirst && unknownThere.includes(error.errno)) {
    return failed('Unsupported', `this kernel has no nf_tables (${message})`);
  }
  if (!isFirst && notBuilt.includes(error.errno)) {
    return failed('Unsupported', `this kernel lacks a part of nf_tables (${message})`);
  }
  return failed('Refused', message);
}

function failed(code: GuardFailureCode, words: string): GuardFailure {
  return { kind: 'failed', code, words };
}
