/** Who sends a request: by bearer token, by client certificate, or nobody in particular. */

import { randomBytes } from 'node:crypto';
import { unauthorized } from '../api-error.ts';
import type { ApiRequest } from '../api-request.ts';
import type { Json, JsonObject } from '../json.ts';

export interface User {
  readonly name: string;
  readonly groups: readonly string[];
  /** What else its credentials say, such as the node of the pod that a token is bound to. */
  readonly extra?: Extra;
}

export type Extra = Readonly<Record<string, readonly string[]>>;

const anonymous: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Of a token that is bound to a pod on this node. */
export function onNode(node: string): Extra {
  return { 'authentication.kubernetes.io/node-name': [node] };
}

/** As `userInfo.extra` shows it. */
export function describeExtra({ extra = {} }: User): JsonObject {
  const said = Object.entries(extra).map(([key, values]): [string, Json] => [key, [...values]]);
  return Object.fromEntries(said);
}

export class Authenticator {
  readonly #users = new Map<string, User>();

  /** A token for the user, who is in these groups beside those that follow from the name. */
  issue(
    name: string,
    groups: readonly string[] = [],
    token = randomBytes(16).toString('hex'),
    extra: Extra = {},
  ) {
    this.#users.set(token, { name, groups: [...groups, ...impliedGroups(name)], extra });
    return token;
  }

  /** From now on the token opens nothing. */
  revoke(token: string): void {
    this.#users.delete(token);
  }

  /** Throws where credentials are given and wrong; without any the caller is anonymous. */
  authenticate({ headers, certificate }: ApiRequest): User {
    const token = /^Bearer (.+)$/i.exec(headers['authorization'] ?? '')?.[1];
    if (token !== undefined) {
      const user = this.#users.get(token.trim());
      if (user === undefined) throw unauthorized();
      return user;
    }
    if (certificate === undefined) return anonymous;
    const { user, groups } = certificate;
    return { name: user, groups: [...groups, ...impliedGroups(user)] };
  }
}

export function impliedGroups(name: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(name) ?? [];
  const accounts =
    namespace === undefined
      ? []
      : ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return [...accounts, 'system:authenticated'];
}
