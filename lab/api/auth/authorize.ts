import { ApiError, forbidden } from '../api-error.ts';
import type { Attributes } from './attributes.ts';
import type { User } from './authenticator.ts';
import type { Rbac } from './rbac.ts';

/** Throws 403 in the words of the real server. */
export function authorize(rbac: Rbac, user: User, attributes: Attributes): void {
  const { isAllowed, reason } = rbac.judge(user, attributes);
  if (!isAllowed) throw refusal(user, attributes, reason === '' ? '' : `: ${reason}`);
}

function refusal({ name: user }: User, attributes: Attributes, why: string): ApiError {
  const { verb } = attributes;
  if ('path' in attributes) {
    return new ApiError({
      code: 403,
      reason: 'Forbidden',
      message: `forbidden: User ${JSON.stringify(user)} cannot ${verb} path ${JSON.stringify(attributes.path)}${why}`,
      details: {},
    });
  }
  const { group, resource, namespace, name } = attributes;
  const place = namespace === '' ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return forbidden(
    { group, plural: resource.split('/')[0] ?? '' },
    name,
    `User ${JSON.stringify(user)} cannot ${verb} resource "${resource}" in API group "${group}" ${place}${why}`,
  );
}
