/** Everything that the agent watches in the cluster. */

import { lbNodeAgents, leases, nodes, serviceGroups, services } from '../kube/resources.ts';
import type { Store, StoreListener } from '../kube/store.ts';
import { WatchSet, type WatchSetup } from '../kube/watch-set.ts';
import { KnownLeases } from './known-leases.ts';
import {
  type KnownGroup,
  type KnownLease,
  type KnownNode,
  type KnownOffer,
  type KnownService,
  knowGroup,
  knowNode,
  knowOffer,
  knowService,
} from './known-objects.ts';

export class WatchedObjects extends WatchSet {
  readonly services: Store<KnownService>;
  readonly groups: Store<KnownGroup>;
  readonly offers: Store<KnownOffer>;
  readonly nodes: Store<KnownNode>;
  readonly leases: Store<KnownLease>;

  constructor(setup: WatchSetup, installNamespace: string) {
    super(setup);
    this.services = this.add(services, knowService);
    this.groups = this.add(serviceGroups, knowGroup);
    this.offers = this.add(lbNodeAgents, knowOffer);
    this.nodes = this.add(nodes, knowNode);
    const known = new KnownLeases();
    this.leases = this.add(leases, (lease) => known.know(lease), { namespace: installNamespace });
  }

  /** Calls `listener` when something other than a Service changed by which anything is decided; undone by the result. */
  onChange(listener: () => void): () => void {
    const stores = [this.groups, this.offers, this.nodes, this.leases] as const;
    const undo = stores.map((store) =>
      store.subscribe((_key: string, before?: Essential, after?: Essential) => {
        if (isChanged(before, after)) listener();
      }),
    );
    return () => {
      for (const each of undo) each();
    };
  }

  /** The same for Services. Most Services of a cluster are none of ours, and come and go unnoticed. */
  onServiceChange(listener: StoreListener<KnownService>): () => void {
    return this.services.subscribe((key, before, after) => {
      if (isChanged(before, after)) listener(key, before, after);
    });
  }
}

function isChanged(before: Essential | undefined, after: Essential | undefined): boolean {
  return (before?.essence ?? '') !== (after?.essence ?? '');
}

type Essential = { readonly essence: string };
