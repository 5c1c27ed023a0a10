/** What the owner of a Service should know about what it has and what it does not get, gravest first. */

import { compareTexts } from '../../model/compare-texts.ts';
import type { Ip } from '../../model/ip.ts';
import { refusalReasons } from '../../model/reasons.ts';
import type { Claimant } from './claimant.ts';
import { listAddresses } from './describe-addresses.ts';
import { wantsEveryRange } from './fill-ranges.ts';
import { type Note, warn } from './note.ts';
import type { Obstacle } from './obstacle.ts';
import type { Place } from './place.ts';
import type { Round } from './round.ts';
import type { Outcome } from './serve.ts';
import { heldPool } from './shed-addresses.ts';

export function findNotes(claimant: Claimant, outcome: Outcome, round: Round): readonly Note[] {
  const { obstacle, missing, addresses } = outcome;
  const notes: Note[] = [];
  if (obstacle?.kind === 'refuse') notes.push(describeObstacle(claimant, obstacle));
  for (const place of addresses) noteFaults(claimant, place, round, notes);
  for (const place of addresses) noteNeighbours(claimant, place, round, notes);
  for (const { kind, message } of missing) {
    if (kind === 'refuse') notes.push(warn(message, 'PartiallyAllocated'));
  }
  const homeless = addresses.filter(({ pool }) => pool === undefined);
  if (homeless.length > 0) notes.push(describeHomeless(homeless));
  const { addresses: wishes, addressesFrom, problems } = claimant.service.request;
  const isEmpty = addressesFrom === 'annotation' && wishes.length + problems.length === 0;
  if (isEmpty) notes.push(warn(emptyWish));
  const wish = findUnmetWish(claimant, addresses, round);
  if (wish !== undefined) notes.push(warn(`${wish}: kept ${untilAsked}`, 'NotAsAsked'));
  return notes;
}

function noteFaults(claimant: Claimant, { ip }: Place, round: Round, notes: Note[]): void {
  const fault = round.occupancy.findFault(claimant, ip);
  if (fault?.kind === 'refuse') notes.push(describeFault(fault));
  const tie = round.conflicts.staying.get(ip);
  if (tie !== undefined) notes.push(describeConflict(ip, tie));
}

/** Which ones is said of a few: a text that changed with each of a thousand would be news each time. */
const mostNames = 3;

/** By the default scope of sharing keys, whoever guesses a key joins from any namespace: those that are there are told. */
function noteNeighbours(
  { service }: Claimant,
  { ip }: Place,
  { occupancy }: Round,
  notes: Note[],
): void {
  if (service.request.sharingKey === undefined) return;
  const { namespace } = service.identity;
  const others = occupancy
    .usersOf(ip)
    .filter(
      ({ fate, service: each }) => fate.kind === 'serve' && each.identity.namespace !== namespace,
    )
    .map(({ service: each }) => each.identity.namespace);
  const names = [...new Set(others)].sort(compareTexts);
  if (names.length === 0) return;
  const list = names.slice(0, mostNames).join(', ');
  const text = `${ip} is shared with Services of namespace ${list}${names.length > mostNames ? ' and others' : ''}`;
  notes.push({ text, event: { reason: 'AddressShared', message: text } });
}

function describeObstacle(claimant: Claimant, { message, reason, pool }: Obstacle): Note {
  const { key } = claimant.service;
  const own = heldPool(claimant);
  const isIncrement = own !== undefined && wantsEveryRange(claimant.service, own);
  const failure = isIncrement
    ? `Incremental multi-pool allocation refused for "${key}": ${message}`
    : `Failed to allocate IP for "${key}": ${message}`;
  return fault(message, failure, { pool, reason });
}

/** Nothing is taken away, but that two have one address without sharing it is never passed over. */
function describeFault({ message, pool, reason }: Obstacle): Note {
  const advice = 'change that, or set annotation purelb.io/re-evaluate: "true" for another';
  const failure = `Two Services have one address: ${message}; ${advice}`;
  return fault(message, failure, { pool, reason });
}

function fault(text: string, message: string, rejection: NonNullable<Note['rejection']>): Note {
  const event = { reason: 'AllocationFailed', message } as const;
  return { text, event, reason: refusalReasons[rejection.reason], isFault: true, rejection };
}

/** The agents have told about it already. */
function describeConflict(ip: Ip, why: string): Note {
  const text = `someone else on the network uses ${ip}; it stays because ${why}`;
  return { text, reason: 'AddressConflict' };
}

function describeHomeless(homeless: readonly Place[]): Note {
  const text = `no group in force has ${listAddresses(homeless)}: kept ${untilAsked}`;
  return warn(text, 'NotInPool');
}

const emptyWish = 'annotation purelb.io/addresses is empty and asks for nothing: remove it';

const untilAsked = 'until annotation purelb.io/re-evaluate: "true" asks for another';

/** An edit moves nothing by itself; that it does not is said. */
function findUnmetWish(
  claimant: Claimant,
  addresses: readonly Place[],
  { occupancy }: Round,
): string | undefined {
  const { addresses: wishes, group, sharingKey } = claimant.service.request;
  if (addresses.length === 0) return undefined;
  if (wishes.length > 0) {
    const isMet =
      wishes.length === addresses.length && addresses.every(({ ip }) => wishes.includes(ip));
    return isMet ? undefined : `${wishes.join(', ')} is asked for`;
  }
  const isOther = ({ pool }: Place) => pool !== undefined && pool.name !== (group ?? pool.name);
  if (addresses.some(isOther)) return `pool "${group}" is asked for`;
  if (sharingKey === undefined) return undefined;
  const isApart = ({ ip, pool, family }: Place) =>
    pool !== undefined && (occupancy.boundTo(claimant, pool, family) ?? ip) !== ip;
  return addresses.some(isApart)
    ? `sharing key "${sharingKey}" is bound to another address`
    : undefined;
}
