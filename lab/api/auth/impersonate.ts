/** `kubectl --as`: whoever may, acts as somebody else. */

import type { ApiRequest } from '../api-request.ts';
import { impliedGroups, type User } from './authenticator.ts';
import { authorize } from './authorize.ts';
import type { Rbac } from './rbac.ts';

export function impersonate(user: User, { headers }: ApiRequest, rbac: Rbac | undefined): User {
  const name = headers['impersonate-user'];
  if (name === undefined) return user;
  const named = (headers['impersonate-group'] ?? '').split(',').map((group) => group.trim());
  const groups = named.filter((group) => group !== '');
  const may = (resource: string, target: string) => {
    const attributes = { verb: 'impersonate', group: '', resource, namespace: '', name: target };
    if (rbac !== undefined) authorize(rbac, user, attributes);
  };
  may('users', name);
  for (const group of groups) may('groups', group);
  return { name, groups: [...groups, ...impliedGroups(name)] };
}
