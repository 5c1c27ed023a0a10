import type { NetboxSource as NetboxSpec } from '../model/pool.ts';
import type { Clock } from '../runtime/clock.ts';
import type { AddressSource } from './address-source.ts';
import { NetboxApi } from './netbox-api.ts';
import { NetboxSource } from './netbox-source.ts';
import { HttpTransport } from './rest-transport.ts';

export interface OpenNetboxOptions {
  readonly spec: NetboxSpec;
  readonly pool: string;
  readonly clusterId: () => string | undefined;
  /** Throws what a person should know. */
  readonly readToken: () => Promise<string>;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Nothing is asked before the first call. */
export function openNetbox(options: OpenNetboxOptions): AddressSource {
  const { spec, clock, readToken } = options;
  const { origin, pathname } = new URL(spec.url);
  const transport = new HttpTransport({ url: origin, ca: spec.caBundle, clock });
  const basePath = pathname === '/' ? '' : pathname;
  const api = new NetboxApi({ transport, basePath, readToken });
  return new NetboxSource({ ...options, api });
}
