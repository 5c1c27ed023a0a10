/**
 * The mark that says "this address is PureLB's". It sits on the kernel's address itself, so a restarted agent finds
 * what its predecessor left, and an address without it is foreign: never changed, never removed.
 */

/** Primary mark: the address's origin (IFA_PROTO), stored by kernels from 5.18 on. Unassigned in rtnetlink's list. */
export const ourAddressProtocol = 76;

/** Second mark for older kernels: the metric of the address's prefix route (IFA_RT_PRIORITY), stored in any case. */
export const ourAddressPriority = 7472;

export interface OwnershipMark {
  readonly protocol?: number | undefined;
  readonly priority?: number | undefined;
}

/** Another protocol number is another owner, whatever the priority says. */
export function isOurMark({ protocol = 0, priority }: OwnershipMark): boolean {
  if (protocol !== 0) return protocol === ourAddressProtocol;
  return priority === ourAddressPriority;
}
