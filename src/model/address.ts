/** Addresses on links: what we want there, what the kernel holds, and the changes between the two. */

import type { Ip } from './ip.ts';

export interface WantedAddress {
  readonly link: string;
  readonly ip: Ip;
  readonly prefixLength: number;
  /** The kernel removes the address after so long without a refresh; `Infinity` is for ever. */
  readonly validSeconds: number;
  /** IPv6 addresses past this are deprecated: never chosen as a source, still answered. */
  readonly preferredSeconds: number;
  /** Keep the kernel from adding a connected route for the prefix. */
  readonly noPrefixRoute: boolean;
  /** Skip the kernel's duplicate address detection (IPv6): the wire was asked already. */
  readonly noDad: boolean;
}

export interface HeldAddress {
  readonly linkIndex: number;
  readonly link: string;
  readonly ip: Ip;
  readonly prefixLength: number;
  readonly validSeconds: number;
  readonly preferredSeconds: number;
  readonly noPrefixRoute: boolean;
  /** Carries our ownership mark. What does not is foreign and never touched. */
  readonly isOurs: boolean;
  /** Beside another, primary address of the same prefix (IPv4); its life hangs on that one. */
  readonly isSecondary: boolean;
  /** Still in duplicate address detection: not answered yet. */
  readonly isTentative: boolean;
  readonly isDeprecated: boolean;
  /** Duplicate address detection found another holder. */
  readonly hasFailedDad: boolean;
  readonly scope: AddressScope;
}

/** Ours, and nobody else was found to have it. */
export function isHeldByUs({
  isOurs,
  hasFailedDad,
}: Pick<HeldAddress, 'isOurs' | 'hasFailedDad'>): boolean {
  return isOurs && !hasFailedDad;
}

export type AddressScope = 'global' | 'site' | 'link' | 'host' | 'nowhere';

/** Names one address on one link; a prefix length is part of the kernel's identity of it. */
export interface AddressKey {
  readonly link: string;
  readonly ip: Ip;
  readonly prefixLength: number;
}

export type AddressChange =
  | { readonly kind: 'add'; readonly address: WantedAddress }
  | { readonly kind: 'refresh'; readonly address: WantedAddress }
  | { readonly kind: 'remove'; readonly address: AddressKey };

export function addressKey({ link, ip, prefixLength }: AddressKey): string {
  return `${ip}/${prefixLength}@${link}`;
}
