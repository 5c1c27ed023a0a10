import type { ApiResponse } from '../api-request.ts';
import type { ResourceRequest } from '../resource-handler.ts';
import type { Core } from '../rest/core.ts';
import type { PodLogs } from './pod-logs.ts';

export interface SubresourceContext {
  readonly core: Core;
  readonly podLogs: PodLogs | undefined;
}

/** Something at `…/NAME/SUBRESOURCE` that is not simply a part of the object. */
export interface Subresource {
  readonly name: string;
  /** What is written to it or read from it. */
  readonly kind: string;
  /** Where that kind is at home; empty when it is the resource's own. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly handle: (context: SubresourceContext, call: ResourceRequest) => ApiResponse;
}
