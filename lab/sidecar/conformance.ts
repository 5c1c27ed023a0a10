/**
 * What a sidecar must do, each rule as a check that anyone can run against one of their own: see `conformance-main.ts`.
 * The checks use Services of names that nobody else has, and give back what they take.
 */

import assert from 'node:assert/strict';
import {
  type AllocateRequest,
  allocateMethod,
  releaseMethod,
  type StatsResponse,
  statsMethod,
} from '../../src/ipam/external-messages.ts';
import { familyOf, ipOf } from '../../src/model/ip.ts';
import type { GrpcChannel } from '../../src/runtime/grpc-channel.ts';
import { GrpcError, grpcStatus } from '../../src/runtime/grpc-error.ts';

export interface Conformance {
  readonly channel: GrpcChannel;
  readonly pool: string;
  readonly hasIpv4: boolean;
  readonly hasIpv6: boolean;
  /** Part of every name. */
  readonly run: string;
}

type Families = NonNullable<AllocateRequest['families']>;

export class SidecarClient {
  readonly #given: Conformance;
  readonly #services = new Set<string>();

  constructor(given: Conformance) {
    this.#given = given;
  }

  get families(): Families {
    return { wantIpv4: this.#given.hasIpv4, wantIpv6: this.#given.hasIpv6 };
  }

  /** One family that there is. */
  get one(): Families {
    return this.#given.hasIpv4
      ? { wantIpv4: true, wantIpv6: false }
      : { wantIpv4: false, wantIpv6: true };
  }

  async allocate(
    name: string,
    families: Families = this.one,
    sharingKey = '',
  ): Promise<readonly string[]> {
    const { channel, pool } = this.#given;
    const request = { pool, service: this.#name(name), sharingKey, families };
    const { ips } = await channel.call(allocateMethod, request);
    return ips.map(({ ip }) => ipOf(ip));
  }

  async allocateExplicit(name: string, ...ips: readonly string[]): Promise<readonly string[]> {
    const { channel, pool } = this.#given;
    const request = { pool, service: this.#name(name), explicit: { ips } };
    const answer = await channel.call(allocateMethod, request);
    return answer.ips.map(({ ip }) => ipOf(ip));
  }

  async release(name: string, ip?: string): Promise<void> {
    const { channel, pool } = this.#given;
    const target = ip === undefined ? { all: true } : { ip };
    await channel.call(releaseMethod, { pool, service: this.#name(name), ...target });
  }

  stats(): Promise<StatsResponse> {
    const { channel, pool } = this.#given;
    return channel.call(statsMethod, { pool });
  }

  async releaseAll(): Promise<void> {
    for (const name of this.#services) await this.release(name);
  }

  #name(name: string): string {
    this.#services.add(name);
    return `conformance/${this.#given.run}-${name}`;
  }
}

export interface Rule {
  readonly sentence: string;
  readonly check: (client: SidecarClient) => Promise<void>;
}

async function statusOf(call: Promise<unknown>): Promise<number> {
  try {
    await call;
    return 0;
  } catch (error) {
    if (error instanceof GrpcError) return error.status;
    throw error;
  }
}

export const rules: readonly Rule[] = [
  {
    sentence: 'Allocate gives one address of each family that is asked for',
    check: async (client) => {
      const ips = await client.allocate('a', client.families);
      const wanted = [client.families.wantIpv4 && 'ipv4', client.families.wantIpv6 && 'ipv6'];
      const found = ips.map((ip) => familyOf(ipOf(ip))).sort();
      assert.deepEqual(
        found,
        wanted.filter((family) => family !== false),
      );
    },
  },
  {
    sentence: 'Allocate is idempotent for a Service',
    check: async (client) => {
      const first = await client.allocate('a');
      assert.deepEqual(await client.allocate('a'), first);
      const often = await Promise.all([1, 2, 3, 4].map(() => client.allocate('a')));
      for (const again of often) assert.deepEqual(again, first);
    },
  },
  {
    sentence: 'different Services get different addresses, also at once',
    check: async (client) => {
      const all = await Promise.all(['a', 'b', 'c'].map((name) => client.allocate(name)));
      assert.equal(new Set(all.flat()).size, 3);
    },
  },
  {
    sentence: 'Release is idempotent, and what was never allocated is no failure',
    check: async (client) => {
      await client.release('nobody');
      await client.allocate('a');
      await client.release('a');
      await client.release('a');
    },
  },
  {
    sentence: 'an address that was released can be had again',
    check: async (client) => {
      const [ip = ''] = await client.allocate('a');
      await client.release('a', ip);
      assert.deepEqual(await client.allocateExplicit('b', ip), [ip]);
    },
  },
  {
    sentence: 'a Service cannot release what another has',
    check: async (client) => {
      const [ip = ''] = await client.allocate('a');
      await client.release('b', ip);
      assert.equal(await statusOf(client.allocateExplicit('c', ip)), grpcStatus.alreadyExists);
      assert.deepEqual(await client.allocate('a'), [ip]);
    },
  },
  {
    sentence: 'an address by name that another has is AlreadyExists',
    check: async (client) => {
      const [ip = ''] = await client.allocate('a');
      assert.equal(await statusOf(client.allocateExplicit('b', ip)), grpcStatus.alreadyExists);
      assert.deepEqual(await client.allocateExplicit('a', ip), [ip]);
    },
  },
  {
    sentence: 'what cannot be meant is InvalidArgument',
    check: async (client) => {
      const bad = [
        client.allocate('a', { wantIpv4: false, wantIpv6: false }),
        client.allocateExplicit('a', 'no address'),
        client.allocateExplicit('a'),
      ];
      for (const call of bad) assert.equal(await statusOf(call), grpcStatus.invalidArgument);
    },
  },
  {
    sentence: 'Services with the same sharing key have one address, until the last of them goes',
    check: async (client) => {
      const first = await client.allocate('a', client.one, 'key');
      assert.deepEqual(await client.allocate('b', client.one, 'key'), first);
      await client.release('a');
      assert.deepEqual(await client.allocate('b', client.one, 'key'), first);
      assert.notDeepEqual(await client.allocate('c'), first);
    },
  },
  {
    sentence: 'Stats count addresses that are in use',
    check: async (client) => {
      const before = await client.stats();
      await client.allocate('a');
      const after = await client.stats();
      const inUse = ({ inUseV4, inUseV6 }: StatsResponse) => inUseV4 + inUseV6;
      assert.equal(inUse(after), inUse(before) + 1);
    },
  },
];

/** Runs one rule with Services of its own, and gives everything back. */
export async function checkRule(rule: Rule, given: Conformance): Promise<void> {
  const client = new SidecarClient(given);
  try {
    await rule.check(client);
  } finally {
    await client.releaseAll();
  }
}
