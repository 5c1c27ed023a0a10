/** A Netbox that is reached over the network, a real one or not: what tests make there, and its removal. */

import { randomBytes } from 'node:crypto';
import { read } from '../model/cursor.ts';
import { must } from '../model/parsed.ts';
import { readNetboxSource } from '../model/read-netbox-source.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { type Fields, fieldsOf, NetboxApi, type NetboxCall } from './netbox-api.ts';
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

/**
 * Everything that it makes has a tenant or name that nobody else has, and is removed. Only the custom fields stay: others
 * may use them at the same time.
 */
export class RealNetbox {
  readonly id = `purelb-test-${randomBytes(4).toString('hex')}`;
  readonly #access: RealNetboxAccess;
  readonly #prefixes: readonly string[];
  readonly #api: NetboxApi;
  readonly #made: string[] = [];
  #isSetUp = false;

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

  /** As an allocator of its own would have it; `more`: what else is in `spec.netbox`. */
  source(
    through: (transport: RestTransport) => RestTransport = (same) => same,
    more: object = {},
  ): NetboxSource {
    const { url } = this.#access;
    const own = { url, tenant: this.id, prefixes: this.#prefixes, tags: [this.id] };
    const written = { ...own, ...more };
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

  /** As the administrator; throws what is refused. */
  async admin(method: NetboxCall['method'], path: string, body?: Fields): Promise<Fields> {
    const call = body === undefined ? { method, path } : { method, path, body };
    const outcome = await this.#api.call(call, never);
    const isDone = !('kind' in outcome) && outcome.status >= 200 && outcome.status < 300;
    if (!isDone) throw new Error(`${method} ${path}: ${JSON.stringify(outcome)}`);
    return fieldsOf(outcome.body);
  }

  /** Addresses first, then what they refer to. */
  async close(): Promise<void> {
    const found = this.#isSetUp ? await this.#search() : [];
    const addresses = found.map((each) => `ipam/ip-addresses/${String(fieldsOf(each)['id'])}/`);
    for (const path of [...addresses, ...this.#made.reverse()]) {
      await this.admin('DELETE', path);
    }
    this.#api.close();
  }

  async #setUp(): Promise<void> {
    await this.#makeField('purelb_slot', true);
    await this.#makeField('purelb_cluster', false);
    await this.#make('tenancy/tenants/', { name: this.id, slug: this.id });
    this.#isSetUp = true;
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

  /** Throws where that is not known: what is there and not found would stay for ever. */
  async #search(): Promise<readonly unknown[]> {
    const body = await this.admin('GET', `ipam/ip-addresses/?tenant=${this.id}&limit=1000`);
    const list = readResults(body);
    if (list === undefined) throw new Error(`no list: ${JSON.stringify(body)}`);
    // A filter that it does not know finds everything.
    return list.results.filter((each) => fieldsOf(fieldsOf(each)['tenant'])['slug'] === this.id);
  }

  async #make(path: string, body: Fields): Promise<void> {
    const made = await this.admin('POST', path, body);
    this.#made.push(`${path}${String(made['id'])}/`);
  }

  async #hasField(name: string): Promise<boolean> {
    const body = await this.admin('GET', `extras/custom-fields/?name=${name}`);
    return (readResults(body)?.results ?? []).some((each) => fieldsOf(each)['name'] === name);
  }

  /** Another test may make it at the same time. */
  async #makeField(name: string, isUnique: boolean): Promise<void> {
    if (await this.#hasField(name)) return;
    const field = { name, type: 'text', object_types: ['ipam.ipaddress'], filter_logic: 'exact' };
    const body = isUnique ? { ...field, unique: true } : field;
    await this.admin('POST', 'extras/custom-fields/', body).catch(async (error: unknown) => {
      if (!(await this.#hasField(name))) throw error;
    });
  }
}

/** From the environment; undefined where no real one is named. */
export function realNetboxAccess(): RealNetboxAccess | undefined {
  const { NETBOX_URL: url = '', NETBOX_TOKEN: token = '' } = process.env;
  return url === '' || token === '' ? undefined : { url, token };
}

export const noRealNetbox = 'NETBOX_URL and NETBOX_TOKEN are not set';
