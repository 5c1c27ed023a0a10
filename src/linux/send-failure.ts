import type { SendFailure, SendOutcome } from '../model/send-outcome.ts';
import { errno } from './libc.ts';

const reasons: ReadonlyMap<number, SendFailure> = new Map([
  [errno.ENETDOWN, 'link-down'],
  [errno.ENXIO, 'link-gone'],
  [errno.ENODEV, 'link-gone'],
  // A full queue of the link, and a full buffer of the socket.
  [errno.ENOBUFS, 'no-buffer-space'],
  [errno.EAGAIN, 'no-buffer-space'],
  [errno.EPERM, 'not-permitted'],
  [errno.EACCES, 'not-permitted'],
]);

/** What an errno of a packet socket means to its user. */
export function sendFailureOf(failure: number): Extract<SendOutcome, { kind: 'failed' }> {
  return { kind: 'failed', reason: reasons.get(failure) ?? 'other', errno: failure };
}
