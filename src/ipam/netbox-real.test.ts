/**
 * The contract on a real Netbox: `NETBOX_URL=https://netbox.example NETBOX_TOKEN=... node --test
 * src/ipam/netbox-real.test.ts`. The token must be an administrator's. What it makes has names of its own and is removed;
 * the custom fields stay if they were there.
 */

import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { read } from '../model/cursor.ts';
import { ipOf } from '../model/ip.ts';
import { must } from '../model/parsed.ts';
import { readNetboxSource } from '../model/read-netbox-source.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { type SourceRoom, testAddressSource } from './address-source.contract.ts';
import { fieldsOf, NetboxApi } from './netbox-api.ts';
import { readResults } from './netbox-record.ts';
import { openNetbox } from './open-netbox.ts';
import { HttpTransport } from './rest-transport.ts';

const { NETBOX_URL = '', NETBOX_TOKEN = '' } = process.env;
const never = new AbortController().signal;
const clock = new SystemClock();
const prefixes = ['198.51.100.240/30', '2001:db8:ffff:ffff::/126'];
const hosts = ['198.51.100.240', '198.51.100.241', '198.51.100.242', '198.51.100.243'];
const longHosts = ['', '1', '2', '3'].map((end) => `2001:db8:ffff:ffff::${end}`);

/** As the administrator. */
class RealNetbox {
  readonly #api: NetboxApi;
  readonly #made: string[] = [];

  constructor() {
    const { origin, pathname } = new URL(NETBOX_URL);
    const transport = new HttpTransport({ url: origin, ca: undefined, clock });
    const basePath = pathname.replace(/\/(api\/?)?$/, '');
    this.#api = new NetboxApi({ transport, basePath, readToken: async () => NETBOX_TOKEN });
  }

  async make(path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
    const outcome = await this.#api.call({ method: 'POST', path, body }, never);
    if ('kind' in outcome || outcome.status !== 201) throw new Error(JSON.stringify(outcome));
    this.#made.push(`${path}${String(fieldsOf(outcome.body)['id'])}/`);
  }

  async makeField(name: string, isUnique: boolean): Promise<void> {
    const path = `extras/custom-fields/?name=${name}`;
    const outcome = await this.#api.call({ method: 'GET', path }, never);
    if (!('kind' in outcome) && (readResults(outcome.body)?.count ?? 0) > 0) return;
    const field = { name, type: 'text', object_types: ['ipam.ipaddress'], filter_logic: 'exact' };
    await this.make('extras/custom-fields/', isUnique ? { ...field, unique: true } : field);
  }

  /** Addresses first, then what they refer to. */
  async clean(tenant: string): Promise<void> {
    const path = `ipam/ip-addresses/?tenant=${tenant}&limit=0`;
    const outcome = await this.#api.call({ method: 'GET', path }, never);
    const results = 'kind' in outcome ? [] : (readResults(outcome.body)?.results ?? []);
    const own = results.filter((each) => fieldsOf(fieldsOf(each)['tenant'])['slug'] === tenant);
    const addresses = own.map((each) => `ipam/ip-addresses/${String(fieldsOf(each)['id'])}/`);
    for (const each of [...addresses, ...this.#made.reverse()]) {
      await this.#api.call({ method: 'DELETE', path: each }, never);
    }
    this.#api.close();
  }
}

async function openRoom(): Promise<SourceRoom> {
  const real = new RealNetbox();
  const id = `purelb-test-${randomBytes(4).toString('hex')}`;
  await real.makeField('purelb_slot', true);
  await real.makeField('purelb_cluster', false);
  await real.make('tenancy/tenants/', { name: id, slug: id });
  await real.make('extras/tags/', { name: id, slug: id });
  for (const prefix of prefixes) {
    await real.make('ipam/prefixes/', { prefix, is_pool: true, tenant: { slug: id } });
  }
  const written = { url: NETBOX_URL, tenant: id, prefixes, tags: [id], clusterId: id };
  const spec = must(read(written, readNetboxSource));
  const readToken = async () => NETBOX_TOKEN;
  const common = { clusterId: () => id, readToken, clock, random: Math.random };
  const source = openNetbox({ spec, pool: 'lb', ...common });
  const close = async () => {
    source.close();
    await real.clean(id);
  };
  const addresses = [...hosts, ...longHosts].map(ipOf);
  return { source, pool: 'lb', addresses, takesWishes: true, close };
}

if (NETBOX_URL === '' || NETBOX_TOKEN === '') {
  test('a real Netbox', { skip: 'NETBOX_URL and NETBOX_TOKEN are not set' }, () => {});
} else {
  testAddressSource('a real Netbox', openRoom);
}
