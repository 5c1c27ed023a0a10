/**
 * `externalTrafficPolicy: Local` where it cannot work: on an address that several Services share, or that one node alone
 * holds, unless the group or the Service keeps Local there. It is rewritten to Cluster before the address is published,
 * unless someone keeps setting it back or the API server does not take the change.
 */

import { addressBits } from '../../model/ip.ts';
import { prefixContains } from '../../model/prefix.ts';
import type { PlannedEvent } from './allocation-plan.ts';
import type { Claimant } from './claimant.ts';
import { type Note, warn } from './note.ts';
import type { Place } from './place.ts';
import type { Round } from './round.ts';

export interface PolicyVerdict {
  readonly policy: 'Cluster' | undefined;
  readonly notes: readonly Note[];
  /** What is said about the rewrite. */
  readonly event?: PlannedEvent;
}

const mostReverts = 3;

export function judgeTrafficPolicy(
  claimant: Claimant,
  addresses: readonly Place[],
  round: Round,
): PolicyVerdict {
  const { service } = claimant;
  if (addresses.length === 0) return leaveAsIs;
  if (service.externalTrafficPolicy === 'Cluster') return recallRewrite(claimant, addresses, round);
  const why = findWhyNot(service, addresses, round);
  if (why === undefined) return { policy: undefined, notes: warnOfAggregates(addresses) };
  const { setbacks = 0, refusal } = round.state.policyRewrites.get(service.key) ?? {};
  if (setbacks >= mostReverts) {
    const cause =
      refusal === undefined
        ? `it was set back ${mostReverts} times within a minute`
        : `the change to Cluster failed (${refusal})`;
    return {
      policy: undefined,
      notes: [warn(`externalTrafficPolicy is left at Local because ${cause}, though ${why}`)],
    };
  }
  const message = `externalTrafficPolicy is set to Cluster because ${why}`;
  return { policy: 'Cluster', notes: [], event: { reason: 'LocalOverride', message } };
}

const leaveAsIs: PolicyVerdict = { policy: undefined, notes: [] };

const rewritten = 'externalTrafficPolicy was set to Cluster because';

/** Nothing but the Service's own condition remembers the rewrite once it has been told. */
function recallRewrite(
  { service }: Claimant,
  addresses: readonly Place[],
  round: Round,
): PolicyVerdict {
  const isNews = round.state.policyRewrites.get(service.key)?.isUntold === true;
  const why = isNews || tellsOfRewrite(service) ? findWhyNot(service, addresses, round) : undefined;
  return why === undefined
    ? leaveAsIs
    : { policy: undefined, notes: [{ text: `${rewritten} ${why}` }] };
}

/** Whether its condition says that its policy was rewritten. */
export function tellsOfRewrite({ conditions }: Claimant['service']): boolean {
  return conditions.some(
    ({ type, message }) => type === 'Allocated' && message.includes(rewritten),
  );
}

/** With the way out. */
function findWhyNot(
  { request }: Claimant['service'],
  addresses: readonly Place[],
  round: Round,
): string | undefined {
  const shared = addresses.find(({ ip }) => isShared(ip, round));
  if (shared !== undefined) {
    return `${shared.ip} is shared: to keep Local, give the Service an address of its own`;
  }
  if (request.allowsLocal) return undefined;
  const local = addresses.find((place) => isLocal(place, round) && !place.pool?.keepsLocalPolicy);
  if (local === undefined) return undefined;
  const wayOut = `to keep Local, set externalTrafficPolicy: Preserve on ServiceGroup "${local.pool?.identity.name}" or annotation purelb.io/allow-local on the Service`;
  return `${local.ip} is a local address, which one node holds: ${wayOut}`;
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
