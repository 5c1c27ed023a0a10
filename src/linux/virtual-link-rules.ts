/** Which links may serve as `kube-lb0`, and when it may be removed: the same on the real kernel and the fake. */

import type { HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';

/** Tried in this order; `dummy` is not in every kernel. */
export const createdLinkKinds: readonly string[] = ['dummy', 'ifb'];
const adoptedLinkKinds: readonly string[] = [...createdLinkKinds, 'bridge'];

/** A person must change the name or the machine. */
export class VirtualLinkError extends Error {
  override readonly name = 'VirtualLinkError';
  readonly code: 'LINK_KIND_REFUSED' | 'NO_LINK_DRIVER';

  constructor(code: VirtualLinkError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

export function refuseOtherKinds({ name, kind }: Link): void {
  if (kind !== undefined && adoptedLinkKinds.includes(kind)) return;
  const what = kind === undefined ? 'a physical link' : `of kind ${kind}`;
  throw new VirtualLinkError(
    'LINK_KIND_REFUSED',
    `link ${name} exists and is ${what}, but must be one of ${adoptedLinkKinds.join(', ')}: ` +
      'choose another name, or remove that link',
  );
}

export function noLinkDriver(name: string): VirtualLinkError {
  return new VirtualLinkError(
    'NO_LINK_DRIVER',
    `link ${name} cannot be created, since this kernel has no driver ${createdLinkKinds.join(' or ')}: ` +
      `load one (modprobe dummy), or create ${name} as a bridge beforehand`,
  );
}

/** Not a link that was merely adopted, and not one that someone else has put addresses on meanwhile. */
export function mayRemove(link: Link, addresses: readonly HeldAddress[]): boolean {
  if (link.kind === undefined || !createdLinkKinds.includes(link.kind)) return false;
  return !addresses.some(
    // Link-local IPv6 addresses are the kernel's own doing.
    ({ linkIndex, isOurs, scope }) => linkIndex === link.index && !isOurs && scope !== 'link',
  );
}
