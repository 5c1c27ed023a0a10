/** A Netbox for tests: the emulation, set up as the guide says, and sources that use it. */

import { MemoryTransport, type MemoryTransportOptions } from '../../lab/netbox/memory-transport.ts';
import { Netbox, type NetboxOptions } from '../../lab/netbox/netbox.ts';
import { asAdmin, type SetUp, setUpNetbox, tenant } from '../../lab/netbox/set-up.ts';
import { read } from '../model/cursor.ts';
import { must } from '../model/parsed.ts';
import { readNetboxSource } from '../model/read-netbox-source.ts';
import type { Clock } from '../runtime/clock.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { NetboxApi } from './netbox-api.ts';
import { NetboxSource } from './netbox-source.ts';

export interface NetboxRoomOptions extends NetboxOptions, SetUp {
  /** `spec.netbox`, beside the URL. */
  readonly spec?: object;
  readonly clock?: Clock;
}

export type SourceWish = Pick<MemoryTransportOptions, 'fateOf' | 'latencyMs'> & {
  readonly random?: () => number;
  readonly clusterId?: string;
  readonly pool?: string;
  /** What else is in `spec.netbox`. */
  readonly more?: object;
};

export const never = new AbortController().signal;

export class NetboxRoom {
  readonly netbox: Netbox;
  readonly clock: Clock;
  readonly token: string;
  readonly #spec: object;

  constructor(options: NetboxRoomOptions = {}) {
    this.clock = options.clock ?? new ManualClock();
    this.netbox = new Netbox({ now: () => this.clock.now(), ...options });
    this.token = setUpNetbox(this.netbox, options);
    this.#spec = options.spec ?? { tenant, prefixes: options.prefixes ?? [] };
  }

  /** As an allocator of its own would have it. */
  open(wish: SourceWish = {}): {
    readonly source: NetboxSource;
    readonly transport: MemoryTransport;
  } {
    const { clock, netbox } = this;
    const transport = new MemoryTransport({ netbox, clock, ...wish });
    const readToken = () => Promise.resolve(this.token);
    const api = new NetboxApi({ transport, basePath: '', readToken });
    const written = { url: 'https://netbox.example', ...this.#spec, ...wish.more };
    const spec = must(read(written, readNetboxSource));
    const { random = Math.random, clusterId = 'cluster-uid', pool = 'lb' } = wish;
    const options = { api, spec, pool, clusterId: () => clusterId, clock, random };
    return { source: new NetboxSource(options), transport };
  }

  admin(method: string, path: string, body?: unknown): Readonly<Record<string, unknown>> {
    return asAdmin(this.netbox, method, path, body);
  }

  /** Reserved for the tenant, as people do it for the mode without prefixes. */
  reserve(...addresses: readonly string[]): void {
    for (const address of addresses) {
      const body = { address, status: 'reserved', tenant: { slug: tenant } };
      this.admin('POST', 'ipam/ip-addresses/', body);
    }
  }

  /** `address status slot` of every record. */
  records(): readonly string[] {
    return this.netbox.tables.all('ipam/ip-addresses').map(({ fields }) => {
      const custom = { ...(fields['custom_fields'] as object | undefined) } as {
        purelb_slot?: string;
      };
      return [fields['address'], fields['status'] ?? 'active', custom.purelb_slot ?? '-'].join(' ');
    });
  }
}
