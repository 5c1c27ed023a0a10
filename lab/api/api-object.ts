import type { Json, JsonObject } from './json.ts';

/** A Kubernetes object in the server's hands. */
export interface ApiObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: Metadata;
  spec?: JsonObject;
  status?: JsonObject;
}

export type Metadata = {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: { [key: string]: string };
  annotations?: { [key: string]: string };
  ownerReferences?: JsonObject[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
  [field: string]: Json | undefined;
};

export type ManagedFieldsEntry = {
  manager?: string;
  operation: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
};

/** Kubernetes times have whole seconds. */
export function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
