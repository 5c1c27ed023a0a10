/** What the administrator of a Netbox does once for PureLB: fields, a tenant, networks, and a token that may do little. */

import { secretOf } from './auth.ts';
import { adminToken, type Netbox } from './netbox.ts';
import type { Json } from './netbox-request.ts';

export const tenant = 'kubernetes';

/** As the administrator; throws what is refused. */
export function asAdmin(netbox: Netbox, method: string, path: string, body?: unknown): Json {
  const headers = {
    authorization: `Token ${adminToken}`,
    'content-type': 'application/json',
    accept: 'application/json',
  };
  const text = body === undefined ? '' : JSON.stringify(body);
  const answer = netbox.handle({ method, url: `/api/${path}`, headers, body: text });
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`);
  return (answer.body === '' ? {} : JSON.parse(answer.body)) as Json;
}

export interface SetUp {
  readonly prefixes?: readonly string[];
  /** `from-to`, with the mask behind each. */
  readonly ranges?: readonly (readonly [string, string])[];
  readonly hasFields?: boolean;
  /** The token may see custom fields, and so whether they must be unique. */
  readonly seesFields?: boolean;
}

/** Returns the token of a user with the smallest permissions that suffice. */
export function setUpNetbox(
  netbox: Netbox,
  { prefixes = [], ranges = [], hasFields = true, seesFields = true }: SetUp,
): string {
  const post = (path: string, body: unknown) => asAdmin(netbox, 'POST', path, body);
  const field = { type: 'text', object_types: ['ipam.ipaddress'], filter_logic: 'exact' };
  if (hasFields) {
    post('extras/custom-fields/', { ...field, name: 'purelb_slot', unique: true });
    post('extras/custom-fields/', { ...field, name: 'purelb_cluster' });
  }
  post('tenancy/tenants/', { name: 'Kubernetes', slug: tenant });
  for (const prefix of prefixes) post('ipam/prefixes/', { prefix, is_pool: true });
  for (const [start, end] of ranges) {
    post('ipam/ip-ranges/', { start_address: start, end_address: end, status: 'active' });
  }
  return makeToken(netbox, seesFields);
}

/** A user of its own, with exactly what the protocol needs. */
export function makeToken(netbox: Netbox, seesFields = true): string {
  const post = (path: string, body: unknown) => asAdmin(netbox, 'POST', path, body);
  const users = [post('users/users/', { username: 'purelb' })['id']];
  const token = post('users/tokens/', { user: users[0], version: netbox.isOld ? 1 : 2 });
  const actions = ['view', 'add', 'change', 'delete'];
  const constraints = { tenant__slug: tenant };
  post('users/permissions/', { users, actions, constraints, object_types: ['ipam.ipaddress'] });
  const readable = [
    'ipam.prefix',
    'ipam.iprange',
    'tenancy.tenant',
    'ipam.vrf',
    'extras.tag',
    ...(seesFields ? ['extras.customfield'] : []),
  ];
  post('users/permissions/', { users, actions: ['view'], object_types: readable });
  return secretOf(token);
}
