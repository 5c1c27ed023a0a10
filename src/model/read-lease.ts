/** Lease of a node → Member. */

import { leaseAnnotations as names } from './annotations.ts';
import { parseConflicts } from './conflict.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { parseFailing } from './failing-addresses.ts';
import { parseHanding } from './handing.ts';
import { readIdentity } from './identity.ts';
import { parseLifetimes } from './kernel-lifetimes.ts';
import type { KubeObject } from './kube-object.ts';
import type { Member } from './member.ts';
import { parseMemberLinks } from './member-links.ts';
import { isProblem } from './parsed.ts';
import { networkOf, type Prefix, parsePrefix } from './prefix.ts';
import { parseTimestamp } from './timestamp.ts';
import { nodeLeasePrefix } from './well-known-names.ts';

/** A Lease that is no node's, or that was never renewed, is refused: whoever wrote it is no member. */
export function readLease(object: KubeObject): Reading<Member> {
  return read(object, (root) => {
    const { metadata, spec } = root.fields('metadata', 'spec');
    const { name, resourceVersion } = readIdentity(metadata);
    const isNodes = name.startsWith(nodeLeasePrefix) && name.length > nodeLeasePrefix.length;
    if (!isNodes)
      metadata.refuse(`the name does not begin with ${nodeLeasePrefix}: not a node's Lease`);
    const { annotations } = metadata.fields('annotations');
    const at = annotations.lenient().fields(...Object.values(names));
    const { renewTime, leaseDurationSeconds } = spec
      .required()
      .fields('renewTime', 'leaseDurationSeconds');
    renewTime.required().parse(parseTimestamp);
    const duration = leaseDurationSeconds.required().integer({ min: 1, max: 86_400 }) ?? 0;
    const links = at[names.links].parse(parseMemberLinks);
    const text = (key: keyof typeof names) => at[names[key]].string() ?? '';
    const node = name.slice(nodeLeasePrefix.length);
    return {
      node,
      instance: text('instance'),
      subnets: readSubnets(at[names.subnets]),
      links: links?.links ?? [],
      failing: parseFailing(text('failing')),
      unmarked: parseFailing(text('unmarked')),
      handing: parseHanding(text('handing')),
      conflicts: parseConflicts(text('conflicts'), node),
      lifetimes: parseLifetimes(text('lifetimes')),
      protocolVersion: links?.version ?? 0,
      peerKeys: readKeyNames(text('peerKeys')),
      renewTime: renewTime.string() ?? '',
      durationMs: duration * 1000,
      resourceVersion,
    };
  });
}

/** More than an agent has, even while they are rotated. */
const mostKeys = 8;

function readKeyNames(text: string): readonly string[] {
  const names = text.split(',', mostKeys).map((name) => name.trim());
  return names.filter((name) => /^[0-9a-f]{8}$/.test(name));
}

/** As upstream: what is no network is passed over, and so is everything after the first 256. */
const mostSubnets = 256;

function readSubnets(cursor: Cursor): readonly Prefix[] {
  const parts = (cursor.string() ?? '').split(',', 4 * mostSubnets);
  const subnets = parts.flatMap((part) => {
    const prefix = parsePrefix(part.trim());
    return isProblem(prefix) ? [] : [networkOf(prefix.value)];
  });
  return subnets.slice(0, mostSubnets);
}
