/** Which events of the kernel call for a pass, and how soon. */

import { tellsOfLinks } from '../decide/announcement/tells-of-links.ts';
import type { KernelEvent } from '../linux/kernel.ts';
import { addressBits, familyOf } from '../model/ip.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';

/** Storms of foreign events merge; what was done to an address of ours is looked at without delay. */
const mergeMs = 100;

/** Undone by the returned function. */
export function wakeOnKernel(
  { kernel, clock }: Pick<AgentSetup, 'kernel' | 'clock'>,
  parts: Pick<AgentParts, 'reader' | 'memory' | 'keeper' | 'virtualLink'>,
  wake: () => void,
): () => void {
  const { reader, memory, keeper, virtualLink } = parts;
  let isPlanned = false;
  const wakeSoon = () => {
    if (isPlanned) return;
    isPlanned = true;
    clock.after(mergeMs, () => {
      isPlanned = false;
      wake();
    });
  };
  return kernel.changes((event) => {
    if ('route' in event && !tellsOfLinks(event.route)) return;
    reader.note(event);
    if (hasFailedDad(event)) memory.noteConflict(event.address.ip, undefined, clock.monotonic());
    const isOwn = isOwnDoing(event, keeper);
    if (isUrgent(event, isOwn, virtualLink.name)) wake();
    else if (!isOwn) wakeSoon();
  });
}

type AddressEvent = KernelEvent & { readonly kind: 'address-added' | 'address-removed' };

function isAboutOurs(event: KernelEvent): event is AddressEvent {
  return 'address' in event && event.address.isOurs;
}

/** The kernel takes it away with this mark: another host has it, and adding it again would find that host again. */
function hasFailedDad(event: KernelEvent): event is AddressEvent {
  return isAboutOurs(event) && event.address.hasFailedDad;
}

/** An address of ours is gone by another hand, or took the first place on its link. */
function isUrgent(event: KernelEvent, isOwn: boolean, virtualLink: string): boolean {
  const isLoss = isAboutOurs(event) && event.kind === 'address-removed' && !isOwn;
  return isLoss || isPromotionOfOurs(event, virtualLink);
}

/**
 * Where the node has an address of its own, ours stand behind it. One that comes first says that the node's own is gone;
 * as long as ours is there, the node's own comes back without the route to its network.
 */
function isPromotionOfOurs(event: KernelEvent, virtualLink: string): boolean {
  if (!isAboutOurs(event) || event.kind !== 'address-added') return false;
  const { ip, link, prefixLength, isSecondary } = event.address;
  const isInRow = familyOf(ip) === 'ipv4' && prefixLength < addressBits.ipv4;
  return isInRow && link !== virtualLink && !isSecondary;
}

/** As this process left it or removed it; others may change what is ours, and their changes do not last. */
function isOwnDoing(event: KernelEvent, keeper: AgentParts['keeper']): boolean {
  if (!isAboutOurs(event)) return false;
  if (event.kind === 'address-removed') return keeper.isOwnRemoval(event.address);
  return !event.address.hasFailedDad && keeper.isAsSet(event.address);
}
