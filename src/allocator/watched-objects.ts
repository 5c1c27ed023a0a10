/** Everything that the allocator watches, kept as far as it is read. */

import { leases, namespaces, serviceGroups, services } from '../kube/resources.ts';
import { Store } from '../kube/store.ts';
import { WatchSet, type WatchSetup } from '../kube/watch-set.ts';
import { KnownBalancers } from './known-balancers.ts';
import {
  type KnownGroup,
  type KnownLease,
  type KnownNamespace,
  knowGroup,
  knowLease,
  knowNamespace,
} from './known-group.ts';
import { type KnownService, serviceProjection } from './known-service.ts';

export interface WatchedObjectsOptions extends WatchSetup {
  /** Where the nodes' Leases are; empty when it is not known. */
  readonly installNamespace: string;
}

export class WatchedObjects extends WatchSet {
  readonly services: Store<KnownService>;
  /** Those of the Services that concern us. */
  readonly balancers: KnownBalancers;
  readonly groups: Store<KnownGroup>;
  readonly namespaces: Store<KnownNamespace>;
  /** Empty where nobody knows which are ours. */
  readonly leases: Store<KnownLease>;

  constructor(options: WatchedObjectsOptions) {
    super(options);
    const { installNamespace: namespace } = options;
    this.services = this.add(services, serviceProjection());
    this.balancers = new KnownBalancers(this.services);
    this.groups = this.add(serviceGroups, knowGroup);
    this.namespaces = this.add(namespaces, knowNamespace);
    this.leases =
      namespace === ''
        ? new Store({ project: knowLease })
        : this.add(leases, knowLease, { namespace });
  }

  /** What tells this cluster from others, once it is known. */
  get clusterUid(): string | undefined {
    return this.namespaces.get('kube-system')?.metadata.uid;
  }

  /** Milliseconds since the server last told anything about Leases. */
  get leasesSilentMs(): number {
    return this.silentForMs(leases);
  }
}
