import type { KubeObject } from '../model/kube-object.ts';

export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** events.k8s.io/v1 Event. */
export interface EventObject extends KubeObject {
  readonly eventTime: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  readonly regarding: ObjectReference;
  readonly reportingController: string;
  readonly reportingInstance: string;
  /** Present from the second occurrence on; the count includes the first. */
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}
