/** Where a Service's traffic goes: EndpointSlices, and the older Endpoints. */

import { familyOf, parseIp } from '../../../src/model/ip.ts';
import { isProblem } from '../../../src/model/parsed.ts';
import { type FieldCause, invalidValue, notSupported, required } from '../field-cause.ts';
import { type Json, type JsonObject, listAt, textAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

export const endpointSliceStrategy: Strategy = {
  setDefaults: (slice) => {
    for (const port of listAt(slice, 'ports') as JsonObject[]) {
      port['name'] ??= '';
      port['protocol'] ??= 'TCP';
    }
  },
  validate: (slice, old) => {
    const type = textAt(slice, 'addressType');
    if (old !== undefined && textAt(old, 'addressType') !== type) {
      return [invalidValue('addressType', type, 'field is immutable')];
    }
    if (type === '') return [required('addressType', '')];
    if (!addressTypes.includes(type)) return [notSupported('addressType', type, addressTypes)];
    return listAt(slice, 'endpoints').flatMap((endpoint, index) =>
      validateEndpoint(endpoint, `endpoints[${index}].addresses`, type),
    );
  },
};

function validateEndpoint(endpoint: Json, field: string, type: string): readonly FieldCause[] {
  const addresses = listAt(endpoint, 'addresses') as string[];
  if (addresses.length === 0) return [required(field, 'must contain at least 1 address')];
  if (type === 'FQDN') return [];
  return addresses.flatMap((address) => {
    const ip = parseIp(address);
    const family = type === 'IPv4' ? 'ipv4' : 'ipv6';
    const isRight = !isProblem(ip) && familyOf(ip.value) === family;
    return isRight ? [] : [invalidValue(field, address, `must be an ${type} address`)];
  });
}

export const endpointsStrategy: Strategy = {
  setDefaults: (endpoints) => {
    for (const subset of listAt(endpoints, 'subsets')) {
      for (const port of listAt(subset, 'ports') as JsonObject[]) port['protocol'] ??= 'TCP';
    }
  },
};
