/** The port to the Linux kernel's links, addresses and routes: `NetlinkKernel` is the real one, `FakeKernel` the other. */

import type { AddressChange, HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Route } from '../model/route.ts';

export interface Kernel {
  /**
   * Each of these reads resolves to everything there is, or throws (a NetlinkError): never to a part. What cannot be
   * read is unknown, not absent.
   */
  links(): Promise<readonly Link[]>;
  addresses(): Promise<readonly HeldAddress[]>;
  /** All tables but `local`, whose entries follow from the addresses. */
  routes(): Promise<readonly Route[]>;

  /**
   * Carries out all changes in their order, whichever of them fail, and resolves to the failures.
   *
   * - What is already so is success: adding a present address (its lifetime is renewed), removing an absent one.
   * - Only addresses with our mark are changed or removed; a foreign one in the way is a failure and stays as it is.
   * - A refresh of an absent address adds it.
   * - An address that the kernel cannot change in place (IPv4: the prefix route flag, IPv6: the prefix length) is
   *   removed and added again in one go.
   * - Removing an IPv4 primary address keeps the secondaries of its prefix, ours and foreign, whatever
   *   `promote_secondaries` says.
   */
  apply(changes: readonly AddressChange[]): Promise<readonly ChangeFailure[]>;

  /**
   * Tells what changes in the kernel, also by this process, until the returned function is called. Events are hints
   * that something is worth reading; only a read tells the truth.
   */
  changes(listener: (event: KernelEvent) => void): () => void;

  /** Makes sure that a link exists and is up that carries addresses but no frames. */
  ensureVirtualLink(name: string): Promise<VirtualLink>;

  /** Removes a link that `ensureVirtualLink` could have made, unless it carries someone else's addresses. */
  removeVirtualLink(name: string): Promise<VirtualLinkRemoval>;

  close(): void;
}

export type ChangeFailureCode =
  /** The link is not there (any more). */
  | 'LinkGone'
  /** The address is on the link without our mark. */
  | 'ForeignAddress'
  /** The kernel said no: see `errno` and `words`. */
  | 'Refused'
  /** No answer, or what the kernel holds could not be read: it may or may not have been done. */
  | 'Unknown';

export interface ChangeFailure {
  readonly change: AddressChange;
  readonly code: ChangeFailureCode;
  /** Name such as `EINVAL`, where the kernel gave one. */
  readonly errno?: string;
  /** The kernel's words where it had any, else ours. */
  readonly words: string;
}

export type KernelEvent =
  | { readonly kind: 'link-added' | 'link-changed' | 'link-removed'; readonly link: Link }
  /** `address-added` also tells of each change, such as a refresh or the end of duplicate address detection. */
  | { readonly kind: 'address-added' | 'address-removed'; readonly address: HeldAddress }
  | { readonly kind: 'route-added' | 'route-removed'; readonly route: Route }
  /** Events were lost: read everything. */
  | { readonly kind: 'resync' };

export interface VirtualLink {
  readonly link: Link;
  readonly how: 'created' | 'adopted';
}

export type VirtualLinkRemoval = 'removed' | 'absent' | 'kept';
