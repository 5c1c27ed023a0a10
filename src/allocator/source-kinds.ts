/** A pool → the source that its addresses come from. */

import { type AddressSource, failure } from '../ipam/address-source.ts';
import { type ExternalCall, ExternalSource } from '../ipam/external-source.ts';
import { openNetbox } from '../ipam/open-netbox.ts';
import type { Cluster } from '../kube/cluster.ts';
import type { Pool } from '../model/pool.ts';
import type { Clock } from '../runtime/clock.ts';
import { readNetboxToken } from './netbox-token.ts';

export interface SourceContext {
  /** What tells this cluster from others; undefined while that is not known. */
  readonly clusterUid: () => string | undefined;
}

export interface SourceKindsOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: () => number;
  /** `NETBOX_USER_TOKEN`; empty when it is not set. */
  readonly netboxToken: string;
  /** Told of every call to a sidecar. */
  readonly observe: (call: ExternalCall) => void;
}

export function sourceKinds(options: SourceKindsOptions) {
  const { cluster, clock, random, netboxToken: environment, observe } = options;
  return ({ name, identity, source }: Pool, { clusterUid: clusterId }: SourceContext) => {
    if (source.kind === 'cluster') return openNone();
    if (source.kind === 'external') {
      return new ExternalSource({ socket: source.socket, pool: name, clock, observe });
    }
    const { namespace } = identity;
    const readToken = () => readNetboxToken(source, { cluster, namespace, environment });
    return openNetbox({ spec: source, pool: name, clusterId, readToken, clock, random });
  };
}

/** Where only ranges of our own can be used. */
export function openNone(): AddressSource {
  const none = failure('invalid', 'is not available here: only ranges given in ServiceGroups are');
  const say = () => Promise.resolve(none);
  return { find: say, allocate: say, release: say, stats: say, check: say, close: () => {} };
}
