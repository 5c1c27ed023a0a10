/** `purelb.io/links` of a Lease, in JSON: the links of a member, and the version of the protocol it speaks. */

import { type Cursor, read } from './cursor.ts';
import { parseIp } from './ip.ts';
import { parseMac } from './mac.ts';
import type { MemberLink } from './member.ts';
import { isProblem, type Parsed, problem } from './parsed.ts';
import { formatPrefix, parsePrefix } from './prefix.ts';

export interface MemberLinks {
  readonly version: number;
  readonly links: readonly MemberLink[];
}

/** An annotation is at most 256 KiB; a node with so many links is none. */
const longestText = 65_536;

export function parseMemberLinks(text: string, path = ''): Parsed<MemberLinks> {
  const json = text.length <= longestText ? parseJson(text) : undefined;
  if (json === undefined) return problem(path, 'is not JSON that an agent wrote');
  const reading = read(json, readMemberLinks);
  if (!isProblem(reading)) return { value: reading.value };
  const problems = reading.problems.map(({ path: inner, message }) => ({
    path: inner === '' ? path : `${path}:${inner}`,
    message,
  }));
  return { problems };
}

export function encodeMemberLinks({ version, links }: MemberLinks): string {
  return JSON.stringify({
    version,
    links: links.map(({ name, macs, addresses, gateways }) => ({
      name,
      macs,
      addresses: addresses.map(formatPrefix),
      gateways,
    })),
  });
}

function readMemberLinks(root: Cursor): MemberLinks {
  const { version, links } = root.fields('version', 'links');
  return {
    version: version.required().integer({ min: 1, max: 1_000_000 }) ?? 0,
    links: links.required().items().map(readMemberLink),
  };
}

function readMemberLink(cursor: Cursor): MemberLink {
  const at = cursor.fields('name', 'macs', 'addresses', 'gateways');
  return {
    name: at.name.required().string() ?? '',
    macs: at.macs.items().flatMap((item) => item.parse(parseMac) ?? []),
    addresses: at.addresses.items().flatMap((item) => item.parse(parsePrefix) ?? []),
    gateways: at.gateways.items().flatMap((item) => item.parse(parseIp) ?? []),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
