import type { KubeObject } from '../model/kube-object.ts';

/** coordination.k8s.io/v1 Lease. Times are MicroTime: exactly six digits after the point, or the server refuses. */
export interface LeaseObject extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  /** Empty or absent: nobody holds it. */
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}
