/**
 * `externalTrafficPolicy: Local` where it cannot work: on an address that one node alone holds, or that several Services
 * share. It is rewritten to Cluster, unless someone keeps setting it back.
 */

import { addressBits } from '../../model/ip.ts';
import { prefixContains } from '../../model/prefix.ts';
import type { Claimant } from './claimant.ts';
import { type Note, warn } from './note.ts';
import type { Place } from './place.ts';
import type { Round } from './round.ts';

export interface PolicyVerdict {
  readonly policy: 'Cluster' | undefined;
  readonly notes: readonly Note[];
}

const mostReverts = 3;

export function judgeTrafficPolicy(
  { service }: Claimant,
  addresses: readonly Place[],
  round: Round,
): PolicyVerdict {
  if (service.externalTrafficPolicy !== 'Local' || addresses.length === 0) return leaveAsIs;
  const why = findWhyNot(service, addresses, round);
  if (why === undefined) return { policy: undefined, notes: warnOfAggregates(addresses) };
  if ((round.state.policyReverts.get(service.key) ?? 0) >= mostReverts) {
    const text = `externalTrafficPolicy is left at Local because it was set back ${mostReverts} times within a minute, though ${why}`;
    return { policy: undefined, notes: [warn(text)] };
  }
  return { policy: 'Cluster', notes: [] };
}

const leaveAsIs: PolicyVerdict = { policy: undefined, notes: [] };

function findWhyNot(
  { request }: Claimant['service'],
  addresses: readonly Place[],
  round: Round,
): string | undefined {
  const shared = addresses.find(({ ip }) => isShared(ip, round));
  if (shared !== undefined) return `${shared.ip} is shared`;
  const local = addresses.find((place) => isLocal(place, round));
  if (local === undefined || request.allowsLocal) return undefined;
  return `${local.ip} is a local address, which one node holds`;
}

function isShared(ip: Place['ip'], { occupancy }: Round): boolean {
  const users = occupancy.usersOf(ip);
  return users.length > 1 && users.filter(({ fate }) => fate.kind === 'serve').length > 1;
}

/** Known to be on a node's own link. */
function isLocal({ ip, pool }: Place, { state }: Round): boolean {
  if (pool?.announce !== 'auto') return pool?.announce === 'local';
  return (state.subnets ?? []).some(({ prefix, isLive }) => isLive && prefixContains(prefix, ip));
}

/** A route wider than the address draws traffic to nodes without endpoints too, where it is lost. */
function warnOfAggregates(addresses: readonly Place[]): readonly Note[] {
  const wide = addresses.find(
    ({ pool, prefixLength, family }) =>
      pool !== undefined &&
      pool.announce !== 'local' &&
      prefixLength !== undefined &&
      prefixLength < addressBits[family],
  );
  if (wide === undefined) return [];
  const { ip, prefixLength, family } = wide;
  const text = `externalTrafficPolicy Local with ${ip}/${prefixLength} loses traffic that reaches nodes without endpoints: use aggregation /${addressBits[family]}, or /30 where a router refuses that`;
  return [warn(text)];
}
