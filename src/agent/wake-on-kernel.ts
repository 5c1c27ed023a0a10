/** Which events of the kernel call for a pass, and how soon. */

import type { KernelEvent } from '../linux/kernel.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';

/** Storms of foreign events merge; what was done to an address of ours is looked at without delay. */
const mergeMs = 100;

/** Undone by the returned function. */
export function wakeOnKernel(
  { kernel, clock }: Pick<AgentSetup, 'kernel' | 'clock'>,
  { reader, memory }: Pick<AgentParts, 'reader' | 'memory'>,
  wake: () => void,
): () => void {
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
    reader.note(event);
    if (hasFailedDad(event)) memory.noteConflict(event.address.ip, undefined, clock.monotonic());
    if (isOwnDoing(event)) return;
    if (isLossOfOurs(event)) wake();
    else wakeSoon();
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

function isLossOfOurs(event: KernelEvent): boolean {
  return isAboutOurs(event) && event.kind === 'address-removed';
}

/** Nobody else puts addresses with our mark anywhere. */
function isOwnDoing(event: KernelEvent): boolean {
  return isAboutOurs(event) && event.kind === 'address-added' && !event.address.hasFailedDad;
}
