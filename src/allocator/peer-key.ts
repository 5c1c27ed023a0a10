/** The Secret with the key by which agents know each other: made where it is missing, and never changed. */

import { isAlreadyExists, isForbidden, isNotFound } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { secrets } from '../kube/resources.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { peerKeySecret } from '../model/well-known-names.ts';
import { type Clock, sleep } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

export interface PeerKeySetup {
  readonly cluster: Pick<Cluster, 'get' | 'create'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where PureLB is installed. */
  readonly namespace: string;
  /** 32 bytes that nobody can guess. */
  readonly drawKey: () => Uint8Array;
}

const everyMs = 60_000;
const withinMs = 5_000;
const keyLength = 32;

/** As long as this allocator leads. A Secret that was deleted is made anew within a minute. */
export async function keepPeerKey(setup: PeerKeySetup, leadership: AbortSignal): Promise<void> {
  let told: string | undefined;
  while (!leadership.aborted) {
    const problem = await ensurePeerKey(setup, leadership);
    if (problem !== undefined && problem !== told && !leadership.aborted)
      setup.log.warn('Key of the agents is missing', { op: 'peerKey', why: problem });
    told = problem;
    await sleep(setup.clock, everyMs, leadership).catch(() => {});
  }
}

/** Says what is wrong, in words without any part of a key. */
async function ensurePeerKey(
  setup: PeerKeySetup,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { cluster, namespace } = setup;
  const where = `Secret ${namespace}/${peerKeySecret}`;
  try {
    const found = await cluster.get(
      secrets,
      { namespace, name: peerKeySecret },
      { signal, withinMs },
    );
    return hasKey(found)
      ? undefined
      : `${where} has no "key" of ${keyLength} bytes: delete it, and it is made anew`;
  } catch (error) {
    if (isNotFound(error)) return makePeerKey(setup, where, signal);
    return isForbidden(error)
      ? `the allocator may not read ${where}: see deploy/rbac/allocator.yaml`
      : `${where} could not be read`;
  }
}

async function makePeerKey(
  { cluster, log, namespace, drawKey }: PeerKeySetup,
  where: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const key = Buffer.from(drawKey()).toString('base64');
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: peerKeySecret, namespace, labels: { 'app.kubernetes.io/name': 'purelb' } },
    type: 'Opaque',
    data: { key },
  };
  try {
    await cluster.create(secrets, secret, { signal, withinMs });
    // A field called `secret` would be redacted, and this is a name.
    log.info('Made the key by which agents authenticate each other', {
      op: 'peerKey',
      object: `${namespace}/${peerKeySecret}`,
    });
    return undefined;
  } catch (error) {
    // Somebody else was faster: theirs is as good.
    if (isAlreadyExists(error)) return undefined;
    return isForbidden(error)
      ? `the allocator may not make ${where}: see deploy/rbac/allocator.yaml`
      : `${where} could not be made`;
  }
}

function hasKey(secret: KubeObject): boolean {
  const data = secret['data'] as Readonly<Record<string, unknown>> | undefined;
  const key = data?.['key'];
  return typeof key === 'string' && Buffer.from(key, 'base64').length === keyLength;
}
