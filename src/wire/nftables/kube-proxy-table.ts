/**
 * kube-proxy's rules in nf_tables, as far as they say whether an address of a Service is forwarded. With nftables it has
 * a table of its own in each family, with maps whose keys are address, protocol and port. With iptables its rules are in
 * the tables that iptables makes there, one for each port.
 */

import type { Opening } from '../../model/guard.ts';
import { type Family, familyOf, type Ip, ipFromBytes } from '../../model/ip.ts';
import { encodeGuardKey, portKey } from './guard-keys.ts';
import type { NftExpression } from './nft-expression.ts';
import { encodeTableName, NFPROTO_IPV4, NFPROTO_IPV6 } from './nft-message.ts';
import { decodeRule, encodeChainName, type NftRule } from './nft-rule.ts';
import { encodeElements } from './nft-set.ts';

const table = 'kube-proxy';
const protocolFamilies = { ipv4: NFPROTO_IPV4, ipv6: NFPROTO_IPV6 } as const;

/** A port is in the first with endpoints, in the second without: there, clients are refused on purpose. */
export const kubeProxyMaps = ['service-ips', 'no-endpoint-services'] as const;
export type KubeProxyMap = (typeof kubeProxyMaps)[number];

/** The same, of iptables. */
export const kubeProxyChains = [
  { table: 'nat', chain: 'KUBE-SERVICES' },
  { table: 'filter', chain: 'KUBE-EXTERNAL-SERVICES' },
] as const;
export type KubeProxyChain = (typeof kubeProxyChains)[number];

export function encodeKubeProxyTable(family: Family): Uint8Array {
  return encodeTableName(table, protocolFamilies[family]);
}

/** Whether the map has this key: the kernel answers with the element, or ENOENT. */
export function encodeKubeProxyKey(map: KubeProxyMap, opening: Opening): Uint8Array {
  const key = encodeGuardKey(portKey(opening));
  return encodeElements({ table, set: map, keys: [key] }, protocolFamilies[familyOf(opening.ip)]);
}

/** For all rules of the chain; a chain that is not there has none. */
export function encodeKubeProxyChain(chain: KubeProxyChain, family: Family): Uint8Array {
  return encodeChainName(chain, protocolFamilies[family]);
}

export interface DestinationRule extends Pick<NftRule, 'table' | 'chain'> {
  /** The one address that it is for; undefined: it is for several, or for all. */
  readonly ip: Ip | undefined;
}

export function decodeDestination(body: Uint8Array): DestinationRule {
  const { table: of, chain, expressions } = decodeRule(body);
  return { table: of, chain, ip: findDestination(expressions) };
}

const NFT_PAYLOAD_NETWORK_HEADER = 1;
const NFT_CMP_EQ = 0;
/** Where the destination stands in the header, by its length. */
const destinationOffsets = new Map([
  [4, 16],
  [16, 24],
]);

function findDestination(expressions: readonly NftExpression[]): Ip | undefined {
  const index = expressions.findIndex(isDestination);
  const compared = index < 0 ? undefined : expressions[index + 1];
  if (compared?.kind !== 'cmp' || compared.operator !== NFT_CMP_EQ) return undefined;
  return destinationOffsets.has(compared.value.length) ? ipFromBytes(compared.value) : undefined;
}

function isDestination(expression: NftExpression): boolean {
  if (expression.kind !== 'payload' || expression.base !== NFT_PAYLOAD_NETWORK_HEADER) return false;
  return destinationOffsets.get(expression.length) === expression.offset;
}
