/**
 * The guard's table: a packet for this machine whose destination is a guarded address goes through the chain
 * `guarded`, all others pass by after one look at a hash table. There it is let in if it comes from the machine itself,
 * belongs to a connection that stands or answers one that the machine made, is ICMP of either family, or is for an
 * open port.
 *
 * The hook is where packets end that are for the machine: what kube-proxy sends on to an endpoint, rewritten before,
 * never comes by. IPVS takes its packets behind it, so that they do; their ports are open.
 */

import { NF_INET_LOCAL_IN, type NftChain } from './nft-chain.ts';
import type { NftExpression } from './nft-expression.ts';
import type { NftTable } from './nft-message.ts';
import type { NftRule } from './nft-rule.ts';
import type { NftSet } from './nft-set.ts';
import { NF_ACCEPT, NF_DROP, NFT_JUMP, type Verdict } from './nft-verdict.ts';

const name = 'purelb';

export const guardTable: NftTable = { name, flags: 0 };

/** Types of keys as nft numbers them, six bits for each part. */
const keyTypes = { ipv4: 7, ipv6: 8, protocol: 12, port: 13 };
const portKeyType = (address: number) => (address << 12) | (keyTypes.protocol << 6) | keyTypes.port;

/** Parts of a key are filled up to four bytes each. */
export const guardSets = {
  addresses4: setOf('addresses4', keyTypes.ipv4, 4),
  addresses6: setOf('addresses6', keyTypes.ipv6, 16),
  ports4: setOf('ports4', portKeyType(keyTypes.ipv4), 12),
  ports6: setOf('ports6', portKeyType(keyTypes.ipv6), 24),
} as const satisfies Record<string, NftSet>;
export type GuardSetName = keyof typeof guardSets;

function setOf(set: string, keyType: number, keyLength: number): NftSet {
  return { table: name, name: set, keyType, keyLength, flags: 0 };
}

/** Asked at the usual place of filters. */
const base = { type: 'filter', hook: NF_INET_LOCAL_IN, priority: 0, policy: NF_ACCEPT };

export const guardChains: readonly NftChain[] = [
  { table: name, name: 'guarded' },
  { table: name, name: 'input', base },
];

// Registers: 1 to 3 have sixteen bytes, of which 9 and following are the fours.
const first = 1;
const second = { ipv4: 9, ipv6: 2 };
const third = { ipv4: 10, ipv6: 13 };

// Keys of `meta` and `ct`.
const NFT_META_IIF = 4;
const NFT_META_NFPROTO = 15;
const NFT_META_L4PROTO = 16;
const NFT_CT_STATE = 0;

const loopback = Uint8Array.of(1, 0, 0, 0);
const establishedOrRelated = Uint8Array.of(2 | 4, 0, 0, 0);
const zero = new Uint8Array(4);
const IPPROTO_ICMP = 1;
const IPPROTO_ICMPV6 = 58;

const families = {
  ipv4: { number: 2, destinationAt: 16, length: 4 },
  ipv6: { number: 10, destinationAt: 24, length: 16 },
};
type FamilyName = keyof typeof families;

export const guardRules: readonly NftRule[] = [
  rule('guarded', { code: NF_ACCEPT }, load(NFT_META_IIF), isEqual(loopback)),
  rule('guarded', { code: NF_ACCEPT }, ...belongsToConnection()),
  rule('guarded', { code: NF_ACCEPT }, load(NFT_META_L4PROTO), isEqual(byte(IPPROTO_ICMP))),
  rule('guarded', { code: NF_ACCEPT }, load(NFT_META_L4PROTO), isEqual(byte(IPPROTO_ICMPV6))),
  rule('guarded', { code: NF_ACCEPT }, ...isOpen('ipv4', 'ports4')),
  rule('guarded', { code: NF_ACCEPT }, ...isOpen('ipv6', 'ports6')),
  rule('guarded', { code: NF_DROP }, { kind: 'counter' }),
  rule('input', { code: NFT_JUMP, chain: 'guarded' }, ...isGuarded('ipv4', 'addresses4')),
  rule('input', { code: NFT_JUMP, chain: 'guarded' }, ...isGuarded('ipv6', 'addresses6')),
];

function rule(chain: string, verdict: Verdict, ...steps: readonly NftExpression[]): NftRule {
  return { table: name, chain, expressions: [...steps, { kind: 'immediate', verdict }] };
}

function load(key: number, register = first): NftExpression {
  return { kind: 'meta', key, register };
}

function isEqual(value: Uint8Array): NftExpression {
  return { kind: 'cmp', register: first, operator: 0, value };
}

function byte(value: number): Uint8Array {
  return Uint8Array.of(value);
}

function belongsToConnection(): readonly NftExpression[] {
  const [source, register, length] = [first, first, 4];
  return [
    { kind: 'ct', key: NFT_CT_STATE, register },
    { kind: 'bitwise', source, register, length, mask: establishedOrRelated, xor: zero },
    { kind: 'cmp', register, operator: 1, value: zero },
  ];
}

function loadDestination(family: FamilyName): readonly NftExpression[] {
  const { number, destinationAt: offset, length } = families[family];
  return [
    load(NFT_META_NFPROTO),
    isEqual(byte(number)),
    { kind: 'payload', register: first, base: 1, offset, length },
  ];
}

function isGuarded(family: FamilyName, set: GuardSetName): readonly NftExpression[] {
  return [...loadDestination(family), { kind: 'lookup', register: first, set }];
}

/** The destination port is in the same place in TCP, UDP and SCTP. */
function isOpen(family: FamilyName, set: GuardSetName): readonly NftExpression[] {
  return [
    ...loadDestination(family),
    load(NFT_META_L4PROTO, second[family]),
    { kind: 'payload', register: third[family], base: 2, offset: 2, length: 2 },
    { kind: 'lookup', register: first, set },
  ];
}
