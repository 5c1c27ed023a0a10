import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { readNetboxToken } from './netbox-token.ts';

const secret = 'nbt_AAAAAAAAAAAA.BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB';
const tokenSecret = { name: 'netbox-client', key: 'user-token' };

/** What the API server says to a GET of the Secret. */
async function read(
  data: Readonly<Record<string, string>> | number,
  { isNamed = true, environment = '' } = {},
): Promise<string> {
  const get = async () => {
    if (typeof data !== 'number') return { metadata: { name: 'netbox-client' }, data };
    const answer = { code: 'refused', operation: 'get', outcome: 'not-done' } as const;
    throw new ApiError({ ...answer, status: data, message: `no: ${secret}` });
  };
  const cluster = { get } as unknown as Cluster;
  try {
    return await readNetboxToken(
      { tokenSecret: isNamed ? tokenSecret : undefined },
      { cluster, namespace: 'lb', environment },
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const encode = (text: string) => Buffer.from(text).toString('base64');

test('the Secret that the group names counts, and otherwise the environment', async () => {
  assert.equal(await read({ 'user-token': encode(`${secret}\n`) }), secret);
  assert.equal(await read({ 'user-token': encode(secret) }, { environment: 'other' }), secret);
  assert.equal(await read(404, { isNamed: false, environment: secret }), secret);
});

test('what is missing is named, with what to do, and never with the token', async () => {
  const said = [
    await read(404, { isNamed: false }),
    await read(404),
    await read(403),
    await read(500),
    await read({ other: encode(secret) }),
    await read({ 'user-token': encode(`${secret} ${secret}`) }),
  ];
  assert.deepEqual(said, [
    'has no API token: NETBOX_USER_TOKEN not set, and the group names no Secret in tokenSecretRef',
    'has no API token: Secret lb/netbox-client does not exist',
    'has no API token: the allocator may not read Secret lb/netbox-client; add its name to the Role purelb:allocator:secrets',
    'has no API token: Secret lb/netbox-client could not be read',
    'has no API token: Secret lb/netbox-client has no key "user-token"',
    'has no API token: key "user-token" of Secret lb/netbox-client is no token',
  ]);
});
