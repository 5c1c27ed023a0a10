/** A Netbox that is reached over the network, a real one or not: what tests make there, and its removal. */

import { randomBytes } from 'node:crypto';
import { read } from '../model/cursor.ts';
import { must } from '../model/parsed.ts';
import { readNetboxSource } from '../model/read-netbox-source.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { fieldsOf, NetboxApi } from './netbox-api.ts';
import { readRecords, readResults } from './netbox-record.ts';
import { NetboxSource } from './netbox-source.ts';
import { HttpTransport, type RestTransport } from './rest-transport.ts';

const never = new AbortController().signal;
const clock = new SystemClock();
export const realPool = 'lb';

export interface RealNetboxAccess {
  readonly url: string;
  /** An administrator's. */
  readonly token: string;
}

/** Everything that it makes has a tenant or name that nobody else has; custom fields stay if they were there. */
export class RealNetbox {
  readonly id = `purelb-test-${randomBytes(4).toString('hex')}`;
  readonly #access: RealNetboxAccess;
  readonly #prefixes: readonly string[];
  readonly #api: NetboxApi;
  readonly #made: string[] = [];

  static async open(access: RealNetboxAccess, prefixes: readonly string[]): Promise<RealNetbox> {
    const real = new RealNetbox(access, prefixes);
    try {
      await real.#setUp();
      return real;
    } catch (error) {
      await real.close();
      throw error;
    }
  }

  private constructor(access: RealNetboxAccess, prefixes: readonly string[]) {
    this.#access = access;
    this.#prefixes = prefixes;
    this.#api = this.#openApi((transport) => transport);
  }

  /** As an allocator of its own would have it. */
  source(through: (transport: RestTransport) => RestTransport = (same) => same): NetboxSource {
    const { url } = this.#access;
    const written = { url, tenant: this.id, prefixes: this.#prefixes, tags: [this.id] };
    const spec = must(read(written, readNetboxSource));
    const common = { clusterId: () => this.id, clock, random: Math.random };
    return new NetboxSource({ api: this.#openApi(through), spec, pool: realPool, ...common });
  }

  /** `address slot` of every record that is ours. */
  async records(): Promise<readonly string[]> {
    const found = readRecords(await this.#search());
    return found.map(({ address, customFields }) => {
      return `${address.ip} ${String(customFields['purelb_slot'] ?? '-')}`;
    });
  }

  /** Addresses first, then what they refer to. */
  async close(): Promise<void> {
    const found = await this.#search();
    const addresses = found.map((each) => `ipam/ip-addresses/${String(fieldsOf(each)['id'])}/`);
    for (const path of [...addresses, ...this.#made.reverse()]) {
      await this.#api.call({ method: 'DELETE', path }, never);
    }
    this.#api.close();
  }

  async #setUp(): Promise<void> {
    await this.#makeField('purelb_slot', true);
    await this.#makeField('purelb_cluster', false);
    await this.#make('tenancy/tenants/', { name: this.id, slug: this.id });
    await this.#make('extras/tags/', { name: this.id, slug: this.id });
    for (const prefix of this.#prefixes) {
      await this.#make('ipam/prefixes/', { prefix, is_pool: true, tenant: { slug: this.id } });
    }
  }

  #openApi(through: (transport: RestTransport) => RestTransport): NetboxApi {
    const { url, token } = this.#access;
    const { origin, pathname } = new URL(url);
    const transport = through(new HttpTransport({ url: origin, ca: undefined, clock }));
    const basePath = pathname.replace(/\/(api\/?)?$/, '');
    return new NetboxApi({ transport, basePath, readToken: async () => token });
  }

  async #search(): Promise<readonly unknown[]> {
    const path = `ipam/ip-addresses/?tenant=${this.id}&limit=1000`;
    const outcome = await this.#api.call({ method: 'GET', path }, never);
    const results = 'kind' in outcome ? [] : (readResults(outcome.body)?.results ?? []);
    // A filter that it does not know finds everything.
    return results.filter((each) => fieldsOf(fieldsOf(each)['tenant'])['slug'] === this.id);
  }

  async #make(path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const outcome = await this.#api.call({ method: 'POST', path, body }, never);
    if ('kind' in outcome || outcome.status !== 201) throw new Error(JSON.stringify(outcome));
    this.#made.push(`${path}${String(fieldsOf(outcome.body)['id'])}/`);
  }

  async #makeField(name: string, isUnique: boolean): Promise<void> {
    const path = `extras/custom-fields/?name=${name}`;
    const outcome = await this.#api.call({ method: 'GET', path }, never);
    if (!('kind' in outcome) && (readResults(outcome.body)?.count ?? 0) > 0) return;
    const field = { name, type: 'text', object_types: ['ipam.ipaddress'], filter_logic: 'exact' };
    await this.#make('extras/custom-fields/', isUnique ? { ...field, unique: true } : field);
  }
}

/** From the environment; undefined where no real one is named. */
export function realNetboxAccess(): RealNetboxAccess | undefined {
  const { NETBOX_URL: url = '', NETBOX_TOKEN: token = '' } = process.env;
  return url === '' || token === '' ? undefined : { url, token };
}

export const noRealNetbox = 'NETBOX_URL and NETBOX_TOKEN are not set';
