/** The three calls of purelb.ipam.v1, on a book. */

import {
  type AllocateRequest,
  allocateRequest,
  allocateResponse,
  releaseRequest,
  statsRequest,
  statsResponse,
} from '../../src/ipam/external-messages.ts';
import { type Family, type Ip, parseIp } from '../../src/model/ip.ts';
import { isProblem } from '../../src/model/parsed.ts';
import { Denial, type PoolBook } from './pool-book.ts';

/** Undefined: there is no such call. */
export function answerCall(
  book: PoolBook,
  path: string,
  request: Uint8Array,
): Uint8Array | undefined {
  switch (path) {
    case '/purelb.ipam.v1.IPAM/Allocate':
      return allocateResponse.encode({ ips: allocate(book, allocateRequest.decode(request)) });
    case '/purelb.ipam.v1.IPAM/Release':
      release(book, request);
      return new Uint8Array();
    case '/purelb.ipam.v1.IPAM/Stats':
      return statsResponse.encode(count(book, statsRequest.decode(request).pool));
    default:
      return undefined;
  }
}

function allocate(book: PoolBook, request: AllocateRequest): readonly { readonly ip: string }[] {
  const { pool, service, sharingKey, explicit, families } = request;
  const claim = { service, sharingKey };
  if (service === '') throw new Denial('invalidArgument', 'service is empty');
  if (explicit !== undefined) {
    if (explicit.ips.length === 0) throw new Denial('invalidArgument', 'explicit names no address');
    return explicit.ips.map((text) => ({ ip: book.takeExplicit(pool, claim, readIp(text)) }));
  }
  const wanted: Family[] = [];
  if (families?.wantIpv4 === true) wanted.push('ipv4');
  if (families?.wantIpv6 === true) wanted.push('ipv6');
  if (wanted.length === 0)
    throw new Denial('invalidArgument', 'neither a family nor an address is asked for');
  return wanted.map((family) => ({ ip: book.take(pool, claim, family) }));
}

function release(book: PoolBook, bytes: Uint8Array): void {
  const { pool, service, ip, all } = releaseRequest.decode(bytes);
  if (ip !== undefined) book.release(pool, service, readIp(ip));
  else if (all === true) book.release(pool, service, undefined);
  else throw new Denial('invalidArgument', 'neither an address nor all is to be released');
}

/** The largest number that is exact on both sides. */
const most = BigInt(Number.MAX_SAFE_INTEGER);

function count(book: PoolBook, pool: string) {
  const [v4, v6] = [book.count(pool, 'ipv4'), book.count(pool, 'ipv6')];
  const size = (value: bigint) => Number(value > most ? most : value);
  return {
    inUseV4: v4.inUse,
    inUseV6: v6.inUse,
    sizeV4: size(v4.size),
    sizeV6: size(v6.size),
    hasKnownCapacity: true,
    displayAddresses: book.describe(pool),
  };
}

function readIp(text: string): Ip {
  const parsed = parseIp(text);
  if (isProblem(parsed))
    throw new Denial('invalidArgument', `"${text.slice(0, 60)}" is no address`);
  return parsed.value;
}
