/** The API token of a Netbox: from a Secret in the group's namespace, or from the allocator's environment. */

import { isForbidden, isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { secrets } from '../kube/resources.ts';
import type { NetboxSource } from '../model/pool.ts';

const withinMs = 5_000;

export interface TokenPlaces {
  readonly cluster: Pick<Cluster, 'get'>;
  readonly namespace: string;
  /** `NETBOX_USER_TOKEN`; empty when it is not set. */
  readonly environment: string;
}

/** Throws what a person should know; never with any part of the token. */
export async function readNetboxToken(
  { tokenSecret }: Pick<NetboxSource, 'tokenSecret'>,
  { cluster, namespace, environment }: TokenPlaces,
): Promise<string> {
  if (tokenSecret === undefined) {
    if (environment !== '') return environment;
    throw new Error(
      'has no API token: NETBOX_USER_TOKEN not set, and the group names no Secret in tokenSecretRef',
    );
  }
  const { name, key } = tokenSecret;
  const where = `Secret ${namespace}/${name}`;
  const { data } = await readSecret(cluster, namespace, name, where);
  const encoded = (data as Readonly<Record<string, unknown>> | undefined)?.[key];
  const token =
    typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8').trim() : '';
  if (token === '') throw new Error(`has no API token: ${where} has no key "${key}"`);
  if (/\s/.test(token)) throw new Error(`has no API token: key "${key}" of ${where} is no token`);
  return token;
}

async function readSecret(
  cluster: TokenPlaces['cluster'],
  namespace: string,
  name: string,
  where: string,
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return { ...(await cluster.get(secrets, { namespace, name }, { withinMs })) };
  } catch (error) {
    if (isNotFound(error)) throw new Error(`has no API token: ${where} does not exist`);
    if (!isForbidden(error)) throw new Error(`has no API token: ${where} could not be read`);
    throw new Error(
      `has no API token: the allocator may not read ${where}; add its name to the Role purelb:allocator:secrets`,
    );
  }
}
