import type { LoadBalancer } from '../../model/load-balancer.ts';

/**
 * Whether the Service has addresses of the pool, is about to get one, or has yet to give one back. The status or the
 * annotations suffice: removing one of them frees nothing.
 */
export function usesPool({ grant }: LoadBalancer, name: string): boolean {
  const isMarked = grant.isOurs && grant.pools.includes(name);
  return isMarked || grant.record?.pools.includes(name) === true;
}

/** Whether the Service uses the pool and has addresses. */
export function holdsFromPool(service: LoadBalancer, name: string): boolean {
  return service.grant.ingress.length > 0 && usesPool(service, name);
}
