/** By which name a source keeps the address of a Service. */

import type { Family } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Pool } from '../../model/pool.ts';

/** Of a Service of its own, or of all that share an address: the same for each of them. */
export function slotOwner(service: LoadBalancer, pool: Pool): string {
  const { sharingKey } = service.request;
  if (sharingKey === undefined) return service.identity.uid;
  const namespace = pool.sharingScope === 'Namespace' ? service.identity.namespace : '';
  return `share:${namespace}:${sharingKey}`;
}

export function isSharedOwner(owner: string): boolean {
  return owner.startsWith('share:');
}

export function slotKey(owner: string, family: Family): string {
  return `${owner} ${family}`;
}
