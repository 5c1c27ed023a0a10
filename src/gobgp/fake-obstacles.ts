/** What the real daemon, or the hand that leads it, would not do. */

import {
  type PeerWish,
  type PolicyReading,
  peerKey,
  type SpeakerChange,
  type SpeakerPolicies,
} from '../model/speaker.ts';
import { letsIn, noPolicies } from './gobgp-speaker.ts';

export function findObstacle(
  change: SpeakerChange,
  inForce: PolicyReading,
  peers: ReadonlySet<string>,
): string | undefined {
  if (letsIn.includes(change.kind) && inForce.export.policies.length === 0) return noPolicies;
  if (change.kind === 'set-policies') return findMissingSet(change.policies, inForce);
  if (change.kind !== 'add-peer' && change.kind !== 'update-peer') return undefined;
  const key = peerKey(change.peer.peer);
  const isUnknown = change.kind === 'update-peer' && !peers.has(key);
  return isUnknown ? `neighbor that has ${key} doesn't exist` : findConflict(change.peer);
}

function findMissingSet(
  { sets, ...policies }: SpeakerPolicies,
  inForce: PolicyReading,
): string | undefined {
  const known = [...sets, ...inForce.sets].map(({ name }) => name);
  const named = [policies.import, policies.export]
    .flatMap(({ statements }) => statements)
    .flatMap(({ conditions }) => conditions.sets.map(({ name }) => name));
  const lacking = named.find((name) => !known.includes(name));
  return lacking === undefined ? undefined : `not found set ${lacking}`;
}

function findConflict({ leastTtl, multihopTtl }: PeerWish): string | undefined {
  const isBoth = leastTtl !== undefined && multihopTtl !== undefined;
  return isBoth ? 'ebgp-multihop and ttl-security are mutually exclusive' : undefined;
}
