/** Failures that are known before the kernel is asked, in the same words on the real kernel and the fake. */

import type { AddressChange } from '../model/address.ts';
import type { ChangeFailure } from './kernel.ts';

export function linkGone(change: AddressChange): ChangeFailure {
  return { change, code: 'LinkGone', words: `no link ${change.address.link}` };
}

export function foreignAddress(change: AddressChange): ChangeFailure {
  const { ip, prefixLength, link } = change.address;
  const words = `${ip}/${prefixLength} on ${link} was not put there by PureLB`;
  return { change, code: 'ForeignAddress', words };
}

export function heldUnread(change: AddressChange, why: string): ChangeFailure {
  return { change, code: 'Unknown', words: `the held addresses could not be read: ${why}` };
}
