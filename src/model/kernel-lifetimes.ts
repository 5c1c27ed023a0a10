/**
 * `purelb.io/lifetimes` on a node's Lease: for how many seconds from its renewal on the node's kernel keeps what it holds,
 * as `149.5`, or `149.5;298=192.0.2.9,2001:db8::9` where some addresses have another end; `forever` is for ever.
 */

import { compareIps, type Ip, parseIp } from './ip.ts';
import { isProblem } from './parsed.ts';

export interface KernelLifetimes {
  /** In seconds, `Infinity` for ever; undefined: nothing is said. */
  readonly usual: number | undefined;
  readonly others: ReadonlyMap<Ip, number>;
}

export const noLifetimes: KernelLifetimes = { usual: undefined, others: new Map() };

/** All addresses are refreshed together, so that few differ, and not for long. */
const mostOthers = 500;

export function lifetimeOf({ usual, others }: KernelLifetimes, ip: Ip): number | undefined {
  return others.get(ip) ?? usual;
}

/** The longest that is said; undefined: nothing is. */
export function longestLifetime({ usual, others }: KernelLifetimes): number | undefined {
  const all = [...(usual === undefined ? [] : [usual]), ...others.values()];
  return all.length === 0 ? undefined : Math.max(...all);
}

/** The end that most have is said once. */
export function encodeLifetimes(lifetimes: ReadonlyMap<Ip, number>): string {
  const byEnd = Map.groupBy(lifetimes, ([, seconds]) => encodeSeconds(seconds));
  const sorted = [...byEnd].sort(([, left], [, right]) => right.length - left.length);
  const [usual, ...others] = sorted;
  if (usual === undefined) return '';
  const exceptions = others.flatMap(([end, all]) => all.map(([ip]) => ({ end, ip })));
  const told = Map.groupBy(exceptions.slice(0, mostOthers), ({ end }) => end);
  const parts = [...told].map(([end, all]) => {
    const ips = all.map(({ ip }) => ip).sort(compareIps);
    return `${end}=${ips.join(',')}`;
  });
  return [usual[0], ...parts].join(';');
}

/** What cannot be read is passed over. */
export function parseLifetimes(text: string): KernelLifetimes {
  const [first = '', ...parts] = text.split(';', mostOthers + 1);
  const others = parts.flatMap((part) => {
    const [end = '', ips = ''] = part.split('=', 2);
    const seconds = parseSeconds(end);
    return ips.split(',', mostOthers).flatMap((each): [Ip, number][] => {
      const ip = parseIp(each.trim());
      return isProblem(ip) || seconds === undefined ? [] : [[ip.value, seconds]];
    });
  });
  return { usual: parseSeconds(first), others: new Map(others.slice(0, mostOthers)) };
}

const forever = 'forever';

function encodeSeconds(seconds: number): string {
  return seconds === Infinity ? forever : String(Math.max(0, Math.floor(seconds * 10) / 10));
}

function parseSeconds(text: string): number | undefined {
  if (text.trim() === forever) return Infinity;
  return /^\s*\d{1,10}(\.\d{1,3})?\s*$/.test(text) ? Number(text) : undefined;
}
