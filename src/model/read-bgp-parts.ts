/** Blocks that the speaker, its neighbours and its peer groups have in common. */

import type { AppliedPolicies, BgpFamily, GracefulRestart, PolicyChain } from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { parseIp } from './ip.ts';
import { type Parsed, problemsOf } from './parsed.ts';
import { parsePrefix } from './prefix.ts';

export const largestAsn = 4_294_967_295;

/** Upstream's names of families that GoBGP knows and we do not advertise. */
const otherFamilies = [
  'ipv4-labeled',
  'ipv6-labeled',
  'ipv4-vpn',
  'ipv6-vpn',
  'l2vpn-vpls',
  'l2vpn-evpn',
  'ipv4-flowspec',
  'ipv6-flowspec',
  'rtc',
] as const;
const ourFamilies = ['ipv4-unicast', 'ipv6-unicast'] as const satisfies readonly BgpFamily[];

/** Upstream takes families in any case. */
export function readFamilyName(cursor: Cursor): BgpFamily | undefined {
  const text = cursor.string()?.toLowerCase();
  const family = ourFamilies.find((name) => name === text);
  if (family !== undefined || text === undefined) return family;
  if (!otherFamilies.some((name) => name === text)) return cursor.oneOf(ourFamilies);
  cursor.refuse(`${text} is not carried out: remove it, we advertise ${ourFamilies.join(' and ')}`);
  return undefined;
}

export function readGracefulRestart(cursor: Cursor): GracefulRestart | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('enabled', 'restartTime', 'helperOnly');
  return {
    isEnabled: at.enabled.boolean() ?? false,
    restartSeconds: at.restartTime.integer({ min: 0, max: 4095 }) || 120,
    isHelperOnly: at.helperOnly.boolean() ?? false,
  };
}

/** `applyPolicy`. */
export function readPolicies(cursor: Cursor): AppliedPolicies | undefined {
  if (!cursor.isPresent) return undefined;
  const { importPolicy, exportPolicy } = cursor.fields('importPolicy', 'exportPolicy');
  return { import: readChain(importPolicy), export: readChain(exportPolicy) };
}

function readChain(cursor: Cursor): PolicyChain | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('name', 'policies', 'defaultAction');
  at.name.string();
  return {
    policies: at.policies.items().flatMap((item) => item.string() ?? []),
    defaultAction: readWord(at.defaultAction, ['accept', 'reject']),
  };
}

/** What the daemon takes and does nothing with: it is reported, and does no harm. */
export function warnInert(fields: Readonly<Record<string, Cursor>>): void {
  for (const field of Object.values(fields)) {
    if (field.isPresent) field.warn('has no effect in the daemon: remove it');
  }
}

/** Like `oneOf`, where upstream also takes an empty text for nothing. */
export function readWord<Word extends string>(
  cursor: Cursor,
  words: readonly Word[],
): Word | undefined {
  return cursor.string() === '' ? undefined : cursor.oneOf(words);
}

/** Kept as text, which is what the daemon takes. */
export function parseIpOrPrefix(text: string, path: string): Parsed<string> {
  const parsed = text.includes('/') ? parsePrefix(text, path) : parseIp(text, path);
  const problems = problemsOf(parsed);
  return problems.length > 0 ? { problems } : { value: text };
}
