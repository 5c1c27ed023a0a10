/**
 * Addresses from an IPAM of someone's own, a sidecar that speaks purelb.ipam.v1. It keeps its books by pool and
 * Service, so that asking again is asking once; it cannot say what it has without being asked for it.
 */

import { type Family, familyNames, familyOf, type Ip, parseIp } from '../model/ip.ts';
import { isProblem } from '../model/parsed.ts';
import { hostPrefixOf, type Prefix } from '../model/prefix.ts';
import type { SourceFailureReason } from '../model/reasons.ts';
import type { Clock } from '../runtime/clock.ts';
import { GrpcChannel, type GrpcMethod } from '../runtime/grpc-channel.ts';
import { GrpcError, grpcStatus } from '../runtime/grpc-error.ts';
import {
  type AddressSource,
  type AllocateOutcome,
  type CheckOutcome,
  type FindOutcome,
  failure,
  isFailure,
  type Order,
  type ReleaseOutcome,
  type Returning,
  type Slot,
  type SourceFailure,
  type StatsOutcome,
} from './address-source.ts';
import {
  type AllocateResponse,
  allocateMethod,
  releaseMethod,
  type StatsResponse,
  statsMethod,
} from './external-messages.ts';

export interface ExternalCall {
  readonly socket: string;
  readonly method: string;
  /** As gRPC names it. */
  readonly code: string;
  readonly tookMs: number;
}

export interface ExternalSourceOptions {
  /** An absolute path, or `host:port`. */
  readonly socket: string;
  readonly pool: string;
  readonly clock: Clock;
  readonly observe: (call: ExternalCall) => void;
  readonly withinMs?: number;
}

/** More than any Service has: an answer with more is a mistake. */
const mostAddresses = 16;

export class ExternalSource implements AddressSource {
  readonly countsSharers = true;
  readonly #options: ExternalSourceOptions;
  readonly #channel: GrpcChannel;

  constructor(options: ExternalSourceOptions) {
    const { socket, clock } = options;
    this.#options = options;
    const target = socket.startsWith('/') ? `unix://${socket}` : socket;
    this.#channel = new GrpcChannel({ target, clock, longestMessage: 1 << 20 });
  }

  close(): void {
    this.#channel.close();
  }

  find(_slot: Slot, signal: AbortSignal): Promise<FindOutcome> {
    signal.throwIfAborted();
    return Promise.resolve({ kind: 'unknown' });
  }

  async allocate(order: Order, signal: AbortSignal): Promise<AllocateOutcome> {
    const { service, sharingKey = '', family, wish } = order;
    const selector =
      wish === undefined
        ? { families: { wantIpv4: family === 'ipv4', wantIpv6: family === 'ipv6' } }
        : { explicit: { ips: [wish] } };
    const request = { pool: this.#options.pool, service, sharingKey, ...selector };
    const outcome = await this.#call(allocateMethod, request, signal);
    return isFailure(outcome) ? outcome : choose(outcome.answer, family, wish);
  }

  async release({ service, address }: Returning, signal: AbortSignal): Promise<ReleaseOutcome> {
    const target = address === undefined ? { all: true } : { ip: address };
    const request = { pool: this.#options.pool, service, ...target };
    const outcome = await this.#call(releaseMethod, request, signal);
    if (!isFailure(outcome)) return { kind: 'released' };
    return outcome.reason === 'exhausted' ? failure('unavailable', outcome.message) : outcome;
  }

  async stats(signal: AbortSignal): Promise<StatsOutcome> {
    const outcome = await this.#call(statsMethod, { pool: this.#options.pool }, signal);
    return isFailure(outcome) ? outcome : readStats(outcome.answer);
  }

  async check(signal: AbortSignal): Promise<CheckOutcome> {
    const outcome = await this.stats(signal);
    if (isFailure(outcome)) return outcome;
    const where = this.#options.socket;
    return { kind: 'ready', message: `answers at ${where}`, warnings: [] };
  }

  async #call<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
    signal: AbortSignal,
  ): Promise<{ readonly kind: 'answer'; readonly answer: Answer } | SourceFailure> {
    const { clock, withinMs = 10_000 } = this.#options;
    const startedAt = clock.monotonic();
    const note = (code: number) => this.#note(method.path, code, clock.monotonic() - startedAt);
    try {
      const answer = await this.#channel.call(method, request, { signal, withinMs });
      note(0);
      return { kind: 'answer', answer };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GrpcError)) throw error;
      note(error.status);
      return describe(error);
    }
  }

  #note(method: string, code: number, tookMs: number): void {
    const { socket, observe } = this.#options;
    observe({ socket, method, code: codes[code] ?? String(code), tookMs });
  }
}

/** Of what came exactly one address is meant: the wish, or one of the family. */
function choose({ ips }: AllocateResponse, family: Family, wish: Ip | undefined): AllocateOutcome {
  if (ips.length === 0) return failure('invalid', 'returned no IPs and no error');
  if (ips.length > mostAddresses) {
    return failure('invalid', `returned ${ips.length} IPs (max ${mostAddresses})`);
  }
  const prefixes: Prefix[] = [];
  for (const { ip, prefixLength } of ips) {
    const parsed = parseIp(ip);
    if (isProblem(parsed))
      return failure('invalid', `returned unparseable IP "${ip.slice(0, 60)}"`);
    prefixes.push(withLength(parsed.value, prefixLength));
  }
  const found = prefixes.find(({ ip }) =>
    wish === undefined ? familyOf(ip) === family : ip === wish,
  );
  if (found !== undefined) return { kind: 'address', address: found };
  const texts = prefixes.map(({ ip }) => ip).join(', ');
  return failure(
    'invalid',
    `returned ${texts}, and no ${wish ?? `${familyNames[family]} address`}`,
  );
}

function withLength(ip: Ip, length: number): Prefix {
  const host = hostPrefixOf(ip);
  return length > 0 && length <= host.length ? { ip, length } : host;
}

function readStats(answer: StatsResponse): StatsOutcome {
  const { inUseV4, inUseV6, sizeV4, sizeV6, hasKnownCapacity, displayAddresses } = answer;
  return {
    kind: 'stats',
    allocated: { ipv4: BigInt(inUseV4), ipv6: BigInt(inUseV6) },
    capacity: hasKnownCapacity ? { ipv4: BigInt(sizeV4), ipv6: BigInt(sizeV6) } : undefined,
    displayAddresses: displayAddresses.slice(0, 64).map((text) => text.slice(0, 100)),
  };
}

const unauthenticated = 16;

const reasons: Readonly<Record<number, SourceFailureReason>> = {
  [grpcStatus.resourceExhausted]: 'exhausted',
  [grpcStatus.alreadyExists]: 'conflict',
  [grpcStatus.invalidArgument]: 'invalid',
  [grpcStatus.failedPrecondition]: 'invalid',
  [grpcStatus.notFound]: 'invalid',
  [grpcStatus.unimplemented]: 'invalid',
  [grpcStatus.permissionDenied]: 'denied',
  [unauthenticated]: 'denied',
  [grpcStatus.unavailable]: 'unavailable',
};

const codes: Readonly<Record<number, string>> = {
  0: 'OK',
  [grpcStatus.cancelled]: 'Canceled',
  [grpcStatus.unknown]: 'Unknown',
  [grpcStatus.invalidArgument]: 'InvalidArgument',
  [grpcStatus.deadlineExceeded]: 'DeadlineExceeded',
  [grpcStatus.notFound]: 'NotFound',
  [grpcStatus.alreadyExists]: 'AlreadyExists',
  [grpcStatus.permissionDenied]: 'PermissionDenied',
  [grpcStatus.resourceExhausted]: 'ResourceExhausted',
  [grpcStatus.failedPrecondition]: 'FailedPrecondition',
  [grpcStatus.unimplemented]: 'Unimplemented',
  [grpcStatus.internal]: 'Internal',
  [grpcStatus.unavailable]: 'Unavailable',
  [unauthenticated]: 'Unauthenticated',
};

function describe({ status, message }: GrpcError): SourceFailure {
  const [line = ''] = message.split('\n');
  const why = line === '' ? (codes[status] ?? `code ${status}`) : line.slice(0, 200);
  const reason = reasons[status] ?? 'ambiguous';
  const verb = reason === 'unavailable' || reason === 'ambiguous' ? 'does not answer' : 'refuses';
  return failure(reason, `${verb}: ${why}`);
}
