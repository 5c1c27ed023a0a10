/** EndpointSlice → ServiceEndpoints. */

import { type Cursor, type Reading, read } from './cursor.ts';
import { keyOf, readIdentity } from './identity.ts';
import { parseIp } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import type { Endpoint, ServiceEndpoints } from './service-endpoints.ts';
import { serviceNameLabel } from './well-known-names.ts';

/** A slice that names no Service is refused. What is wrong with single endpoints costs those alone. */
export function readEndpointSlice(object: KubeObject): Reading<ServiceEndpoints> {
  return read(object, (root) => {
    const { metadata, addressType, endpoints } = root.fields(
      'metadata',
      'addressType',
      'endpoints',
    );
    const { namespace } = readIdentity(metadata);
    const label = metadata.fields('labels').labels.fields(serviceNameLabel)[serviceNameLabel];
    const name = label.required().string() ?? '';
    const hasIps = addressType.string() !== 'FQDN';
    const items = hasIps ? endpoints.lenient().items() : [];
    return { service: keyOf({ namespace, name }), endpoints: items.map(readEndpoint) };
  });
}

function readEndpoint(cursor: Cursor): Endpoint {
  const { addresses, nodeName, conditions } = cursor.fields('addresses', 'nodeName', 'conditions');
  const { ready, serving } = conditions.fields('ready', 'serving');
  return {
    addresses: addresses.items().flatMap((item) => item.parse(parseIp) ?? []),
    node: nodeName.string(),
    // The API says: a condition that is unknown counts as true.
    isHealthy: (ready.boolean() ?? true) || (serving.boolean() ?? false),
  };
}
