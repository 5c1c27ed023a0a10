/** The number by which a node is known to its routers, written like an IPv4 address. */

import type { BgpGlobal } from '../../model/bgp-config.ts';
import type { ClusterNode } from '../../model/cluster-node.ts';
import { familyOf, type Ip, ipFromBigInt, ipToBigInt, parseIp } from '../../model/ip.ts';
import { isProblem, type Parsed, problem } from '../../model/parsed.ts';
import { type Prefix, prefixContains, prefixOf } from '../../model/prefix.ts';

export const routerIdSources = [
  'explicit',
  'template',
  'node-ipv4',
  'hash-from-node-name',
] as const;
export type RouterIdSource = (typeof routerIdSources)[number];

export interface RouterId {
  readonly ip: Ip;
  readonly source: RouterIdSource;
}

type NodeFacts = Pick<ClusterNode, 'name' | 'annotations' | 'internalIps' | 'externalIps'>;

export function resolveRouterId(
  { routerId, routerIdPool }: Pick<BgpGlobal, 'routerId' | 'routerIdPool'>,
  node: NodeFacts,
): Parsed<RouterId> {
  switch (routerId.kind) {
    case 'explicit':
      return { value: { ip: routerId.ip, source: 'explicit' } };
    case 'node-ip':
      return fromTemplate(
        node.internalIps,
        `node ${node.name} has no usable internal IPv4 address`,
      );
    case 'node-external-ip':
      return fromTemplate(
        node.externalIps,
        `node ${node.name} has no usable external IPv4 address`,
      );
    case 'node-annotation':
      return fromAnnotation(routerId.key, node);
    case 'automatic':
      return { value: automatic(node, routerIdPool) };
    default:
      return routerId satisfies never;
  }
}

function fromTemplate(ips: readonly Ip[], words: string): Parsed<RouterId> {
  const ip = ips.find(isUsable);
  if (ip === undefined) return problem('spec.global.routerID', words);
  return { value: { ip, source: 'template' } };
}

function fromAnnotation(key: string, node: NodeFacts): Parsed<RouterId> {
  const text = node.annotations.get(key) ?? '';
  const ip = parseIp(text);
  if (!isProblem(ip) && isUsable(ip.value)) return { value: { ip: ip.value, source: 'template' } };
  const words =
    text === ''
      ? `node ${node.name} has no annotation ${key}`
      : `annotation ${key} of node ${node.name} is not a usable IPv4 address`;
  return problem('spec.global.routerID', words);
}

function automatic(node: NodeFacts, pool: Prefix): RouterId {
  const ip = node.internalIps.find(isUsable);
  if (ip !== undefined) return { ip, source: 'node-ipv4' };
  return { ip: hashed(node.name, pool), source: 'hash-from-node-name' };
}

const unusable = ['127.0.0.0/8', '169.254.0.0/16', '0.0.0.0/32'].map(prefixOf);

function isUsable(ip: Ip): boolean {
  return familyOf(ip) === 'ipv4' && unusable.every((prefix) => !prefixContains(prefix, ip));
}

/** Neither the first nor the last address of the pool. As upstream has it, so that a change of software keeps it. */
function hashed(name: string, { ip, length }: Prefix): Ip {
  const size = 2 ** (32 - length);
  const offset = (fnv1a(name) % (size - 2)) + 1;
  return ipFromBigInt('ipv4', ipToBigInt(ip) + BigInt(offset));
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return hash;
}
