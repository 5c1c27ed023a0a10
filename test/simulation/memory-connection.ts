/** Connects simulated agents to an API server in the same process, on any clock. */

import type { Transport } from '../../src/kube/transport.ts';
import { type ApiExchange, MemoryTransport } from '../allocator/memory-transport.ts';
import { ApiWay } from './api-way.ts';
import { asFormerVersion } from './former-version.ts';
import type { ProcessClock } from './process-clock.ts';

/** A process's connection to the API server. */
export interface Connection extends Transport {
  /** The process was killed: nothing is sent or received any more. */
  die(): void;
}

/** The process that connects. */
export interface Connecting {
  readonly clock: ProcessClock;
  /** Whether its node reaches the API server now. */
  readonly isOpen: () => boolean;
  /** It speaks a former version of the protocol. */
  readonly isFormerVersion: boolean;
}

export type Connect = (connecting: Connecting) => Connection;

export interface MemoryConnectionSetup {
  readonly api: ApiExchange;
  readonly token: string;
  /** Milliseconds that a request or an answer is on its way. */
  readonly latencyMs: () => number;
}

export function connectInMemory({ api, token, latencyMs }: MemoryConnectionSetup): Connect {
  return ({ clock, isOpen, isFormerVersion }) => {
    const spoken = isFormerVersion ? asFormerVersion(api) : api;
    const way = new ApiWay({ api: spoken, clock, isOpen });
    return new MemoryTransport({ api: way, token, clock, latencyMs });
  };
}
