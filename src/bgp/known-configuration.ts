import type { BgpOffer } from '../decide/advertisement/choose-bgp-config.ts';
import { type Condition, readConditions } from '../model/condition.ts';
import { read } from '../model/cursor.ts';
import { readIdentity } from '../model/identity.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { must } from '../model/parsed.ts';
import { readBgpConfiguration } from '../model/read-bgp-configuration.ts';

/** What is kept of a BGPConfiguration: our reading of it, and what its status says. */
export interface KnownConfiguration extends KubeObject {
  readonly offer: BgpOffer;
  readonly conditions: readonly Condition[];
  readonly written: string;
}

export function knowConfiguration(object: KubeObject): KnownConfiguration {
  const identity = must(
    read({ metadata: object.metadata }, (root) => readIdentity(root.fields('metadata').metadata)),
  );
  const { name, namespace, uid = '', resourceVersion = '' } = object.metadata;
  const status = (object.status ?? {}) as Readonly<Record<string, unknown>>;
  const { message, routerIDSource, neighborCount, establishedNeighbors } = status;
  return {
    metadata: { name, ...(namespace === undefined ? {} : { namespace }), uid, resourceVersion },
    offer: { identity, reading: readBgpConfiguration(object) },
    conditions: must(
      read({ conditions: status['conditions'] }, (root) =>
        readConditions(root.lenient().fields('conditions').conditions),
      ),
    ),
    written: JSON.stringify([message, routerIDSource, neighborCount, establishedNeighbors]),
  };
}
