/** What needs a container's inside, which an API server without kubelets has none of. */

import { ApiError } from '../api-error.ts';
import type { Subresource } from './subresource.ts';

export function notHere(what: string): ApiError {
  return new ApiError({
    code: 501,
    reason: 'NotImplemented',
    message: `the embedded API server has no "${what}"`,
    details: {},
  });
}

export const absent: readonly Subresource[] = ['attach', 'exec', 'portforward', 'proxy'].map(
  (name) => ({
    name,
    kind: `Pod${name === 'portforward' ? 'PortForward' : `${name[0]?.toUpperCase() ?? ''}${name.slice(1)}`}Options`,
    verbs: ['create', 'get'],
    handle: () => {
      throw notHere(name);
    },
  }),
);
