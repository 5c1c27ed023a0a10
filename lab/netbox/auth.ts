/** Who asks, and what they may. Whatever is wrong is 403; only the text tells what. */

import { type Json, refuse } from './netbox-request.ts';
import type { Row, TableName, Tables } from './tables.ts';
import { tableKinds } from './tables.ts';

export type Action = 'view' | 'add' | 'change' | 'delete';

export interface Caller {
  readonly name: string;
  may(action: Action, table: TableName): boolean;
  /** Whether one object is among those that the caller may do it to. */
  mayTouch(action: Action, table: TableName, row: Row): boolean;
}

export interface AuthSettings {
  readonly knowsV2: boolean;
  readonly now: () => number;
}

export const notAllowed = 'You do not have permission to perform this action.';
const notGiven = 'Authentication credentials were not provided.';

export function authenticate(header: string, tables: Tables, settings: AuthSettings): Caller {
  const token = findToken(header, tables, settings);
  const {
    enabled = true,
    expires,
    allowed_ips: sources,
    user,
    write_enabled: mayWrite,
  } = token.fields;
  if (enabled === false) refuse(403, 'Token disabled');
  if (typeof expires === 'string' && Date.parse(expires) < settings.now()) {
    refuse(403, 'Token expired');
  }
  if (Array.isArray(sources) && sources.length > 0) {
    refuse(403, 'Source IP 127.0.0.1 is not permitted to authenticate using this token.');
  }
  return callerOf(user, mayWrite !== false, tables);
}

function findToken(header: string, tables: Tables, { knowsV2 }: AuthSettings): Row {
  const [scheme = '', value = '', more] = header.split(' ');
  const isKnown = scheme === 'Token' || (knowsV2 && scheme === 'Bearer');
  if (!isKnown) return refuse(403, notGiven);
  if (more !== undefined || value === '') return refuse(403, describeMalformed(knowsV2));
  const isV2 = knowsV2 && value.startsWith('nbt_');
  if (isV2 && !value.includes('.')) {
    const advice = "Did you mean to use 'Token' instead of 'Bearer'?";
    refuse(403, `Invalid authorization header: Could not parse key from v2 token. ${advice}`);
  }
  const found = tables.all('users/tokens').find(({ fields }) => secretOf(fields) === value);
  return found ?? refuse(403, describeUnknown(knowsV2, isV2));
}

function describeUnknown(knowsV2: boolean, isV2: boolean): string {
  if (!knowsV2) return 'Invalid token';
  return isV2 ? 'Invalid v2 token' : 'Invalid v1 token';
}

function describeMalformed(knowsV2: boolean): string {
  return knowsV2
    ? 'Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"'
    : 'Invalid token header. Token string should not contain spaces.';
}

/** As a client sends it. */
export function secretOf({ version, key, token }: Json): string {
  return version === 2 ? `nbt_${String(key)}.${String(token)}` : String(token);
}

function callerOf(user: unknown, mayWrite: boolean, tables: Tables): Caller {
  const row = tables.get('users/users', Number(user));
  const isAdmin = row?.fields['is_superuser'] === true;
  const permissions = tables.all('users/permissions').map(({ fields }) => fields);
  const own = permissions.filter(({ users }) => Array.isArray(users) && users.includes(user));
  const granting = (action: Action, table: TableName) =>
    own.filter(({ actions, object_types: types }) => {
      return includes(actions, action) && includes(types, tableKinds[table].type);
    });
  const isLocked = (action: Action) => action !== 'view' && !mayWrite;
  return {
    name: String(row?.fields['username']),
    may: (action, table) => !isLocked(action) && (isAdmin || granting(action, table).length > 0),
    mayTouch: (action, table, target) =>
      !isLocked(action) &&
      (isAdmin ||
        granting(action, table).some(({ constraints }) => meets(target, constraints, tables))),
  };
}

function includes(list: unknown, item: string): boolean {
  return Array.isArray(list) && list.includes(item);
}

/** Of constraints only the one that is recommended. */
function meets({ fields }: Row, constraints: unknown, tables: Tables): boolean {
  const slug = (constraints as Json | null | undefined)?.['tenant__slug'];
  if (slug === undefined) return true;
  const tenant = tables.get('tenancy/tenants', Number(fields['tenant']));
  return tenant?.fields['slug'] === slug;
}
