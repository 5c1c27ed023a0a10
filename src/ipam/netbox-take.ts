/** Ways to an address: the next free one of a prefix or range, one that is reserved for the tenant, or this very one. */

import { familyNames, type Ip } from '../model/ip.ts';
import { failure, isFailure, type Order, type SourceFailure } from './address-source.ts';
import { type Fields, isFailed, type NetboxOutcome } from './netbox-api.ts';
import { type Held, type NetboxBooks, tooLong, unclear } from './netbox-books.ts';
import { giveBack } from './netbox-give-back.ts';
import { wasReserved } from './netbox-marks.ts';
import { type NetboxRecord, readRecord } from './netbox-record.ts';
import { again, isStep, type Step } from './netbox-step.ts';
import { findWishObstacle, isOurs, isReserved, takenBy } from './netbox-wish.ts';

type Taken = Held | Step | SourceFailure;

export async function takeFree(
  books: NetboxBooks,
  order: Order,
  signal: AbortSignal,
): Promise<Taken> {
  const body = newRecord(books, order);
  if (body === undefined) return tooLong;
  const parents = books.terms.parents.filter(({ family }) => family === order.family);
  for (const { path } of parents) {
    const outcome = await books.call('POST', `ipam/${path}/available-ips/`, signal, { body });
    // Full: the next one may have some.
    if (!isFailed(outcome) && outcome.status === 409) continue;
    return settleCreation(books, order, outcome, signal);
  }
  // Someone may have taken the last one for this very slot.
  const found = await books.find(order, signal);
  if (isFailure(found)) return unclear(found);
  if (found.kind === 'record') return again('moved');
  const which =
    parents.length === 0 ? 'no prefix or range' : 'no free address in the prefixes and ranges';
  return failure('exhausted', `has ${which} of the group for ${familyNames[order.family]}`);
}

function newRecord({ terms, spec }: NetboxBooks, order: Order): Fields | undefined {
  const marks = terms.marks.write(order);
  if (marks === undefined) return undefined;
  const { tenant, tags } = spec;
  return {
    status: 'active',
    ...(tenant === undefined ? {} : { tenant: { slug: tenant } }),
    ...(tags.length === 0 ? {} : { tags: tags.map((slug) => ({ slug })) }),
    ...marks,
  };
}

async function settleCreation(
  books: NetboxBooks,
  order: Order,
  outcome: NetboxOutcome,
  signal: AbortSignal,
): Promise<Taken> {
  if (isFailed(outcome)) return unclear(outcome);
  if (outcome.status === 404) {
    return again('terms', failure('invalid', 'no longer has a prefix or range of the group'));
  }
  if (outcome.status !== 201) {
    return books.stepFor(outcome, order.wish) ?? books.refusalOf(outcome);
  }
  const record = readRecord(outcome.body);
  // What cannot be read was made nevertheless: it is looked for.
  if (record === undefined) return again('unclear');
  return books.terms.marks.isUnique ? keep(record) : keepFirst(books, order, record, signal);
}

function keep({ address }: NetboxRecord): Held {
  return { kind: 'address', address };
}

/** Nobody refuses a second record: the first of them counts, and the other goes. */
async function keepFirst(
  books: NetboxBooks,
  order: Order,
  record: NetboxRecord,
  signal: AbortSignal,
): Promise<Taken> {
  const found = await books.find(order, signal);
  if (isFailure(found)) return unclear(found);
  if (found.kind === 'none') return again('unclear');
  if (found.record.id === record.id) return keep(record);
  const outcome = await giveBack(books, order, record, signal);
  return isStep(outcome) || isFailure(outcome) ? outcome : keep(found.record);
}

/** One of several at random, so that those who ask at once do not all want the same. */
export async function takeReserved(
  books: NetboxBooks,
  order: Order,
  random: () => number,
  signal: AbortSignal,
): Promise<Taken> {
  const { spec, terms } = books;
  const family = order.family === 'ipv4' ? 4 : 6;
  const tenant = encodeURIComponent(spec.tenant ?? '');
  const query = `tenant=${tenant}&status=reserved&family=${family}&vrf_id=${terms.vrf ?? 'null'}&limit=16`;
  const found = await books.search(query, signal);
  if (isFailure(found)) return unclear(found);
  const candidates = found.records.filter(
    (record) => isReserved(books, record) && record.vrf === terms.vrf && isOf(record, order),
  );
  const chosen = candidates[Math.floor(random() * candidates.length)];
  if (chosen !== undefined) return claim(books, order, chosen, signal);
  return failure(
    'exhausted',
    `has no ${familyNames[order.family]} address left that is reserved for tenant "${spec.tenant ?? ''}"`,
  );
}

function isOf({ address }: NetboxRecord, { family }: Order): boolean {
  return address.ip.includes(':') === (family === 'ipv6');
}

/** A record that was there before us becomes ours, if it still is nobody's when that is written. */
async function claim(
  books: NetboxBooks,
  order: Order,
  { id }: NetboxRecord,
  signal: AbortSignal,
): Promise<Taken> {
  const current = await books.get(id, signal);
  if (isFailure(current)) return unclear(current);
  if (current.kind !== 'one' || !isFree(books, order, current.record)) return again('moved');
  const { record, etag: ifMatch } = current;
  const marks = marksFor(books, order, record);
  if (marks === undefined) return tooLong;
  const body = { status: 'active', ...marks };
  const outcome = await books.call('PATCH', `ipam/ip-addresses/${id}/`, signal, { body, ifMatch });
  return settleClaim(books, order, record, outcome);
}

function isFree(books: NetboxBooks, order: Order, record: NetboxRecord): boolean {
  return isReserved(books, record) || isOurs(books, record, order);
}

/** A record that was ours before was made by us, unless it says otherwise. */
function marksFor(books: NetboxBooks, order: Order, record: NetboxRecord): Fields | undefined {
  const { marks } = books.terms;
  const isMade = isOurs(books, record, order) && !wasReserved(record);
  return isMade ? marks.write(order) : marks.claim(order, record);
}

function settleClaim(
  books: NetboxBooks,
  order: Order,
  record: NetboxRecord,
  outcome: NetboxOutcome,
): Taken {
  if (isFailed(outcome)) return unclear(outcome);
  const { status, body } = outcome;
  if (status === 412 || status === 404) return again('moved');
  if (status === 200) return keep(readRecord(body) ?? record);
  return books.stepFor(outcome, order.wish) ?? books.refusalOf(outcome);
}

export async function takeWish(
  books: NetboxBooks,
  order: Order,
  wish: Ip,
  signal: AbortSignal,
): Promise<Taken> {
  const obstacle = await findWishObstacle(books, order, wish, signal);
  if (obstacle !== undefined) return obstacle;
  const holders = await books.holdersOf(wish, signal);
  if (isFailure(holders)) return unclear(holders);
  const [holder] = holders.records;
  if (holder !== undefined) return claim(books, order, holder, signal);
  const marks = newRecord(books, order);
  if (marks === undefined) return tooLong;
  const { vrf } = books.terms;
  const length = books.lengthOf(wish);
  const body = { ...marks, address: `${wish}/${length}`, ...(vrf === undefined ? {} : { vrf }) };
  const outcome = await books.call('POST', 'ipam/ip-addresses/', signal, { body });
  const taken = await settleCreation(books, order, outcome, signal);
  return taken.kind === 'address' ? yieldToFirst(books, order, wish, taken, signal) : taken;
}

/** Where Netbox does not enforce it, two may have been given the same: the first keeps it. */
async function yieldToFirst(
  books: NetboxBooks,
  order: Order,
  wish: Ip,
  taken: Held,
  signal: AbortSignal,
): Promise<Taken> {
  const holders = await books.holdersOf(wish, signal);
  if (isFailure(holders)) return unclear(holders);
  const isOwn = (record: NetboxRecord) => books.isOf(order, record);
  const [first] = [...holders.records].sort((left, right) => left.id - right.id);
  const own = holders.records.find(isOwn);
  if (first === undefined || own === undefined || isOwn(first)) return taken;
  const outcome = await giveBack(books, order, own, signal);
  return isStep(outcome) || isFailure(outcome) ? outcome : takenBy(books, wish, first);
}
