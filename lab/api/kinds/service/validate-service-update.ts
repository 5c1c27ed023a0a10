import type { ApiObject } from '../../api-object.ts';
import { type FieldCause, forbiddenField, invalidValue } from '../../field-cause.ts';
import {
  isHeadless,
  needsClusterIp,
  needsHealthPort,
  type ServiceSpec,
  specOf,
} from './service-spec.ts';

const fixed = 'may not change once set';

/** What a Service cannot change while it keeps its addresses. */
export function validateServiceUpdate(service: ApiObject, old: ApiObject): readonly FieldCause[] {
  const [spec, before] = [specOf(service), specOf(old)];
  return [
    ...validateAddresses(spec, before),
    ...validateHealthPort(spec, before),
    ...validateClass(spec, before),
  ];
}

function validateClass(spec: ServiceSpec, old: ServiceSpec): readonly FieldCause[] {
  if (spec.type !== 'LoadBalancer' || old.type !== 'LoadBalancer') return [];
  if (spec.loadBalancerClass === old.loadBalancerClass) return [];
  return [invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, fixed)];
}

function validateHealthPort(spec: ServiceSpec, old: ServiceSpec): readonly FieldCause[] {
  if (!needsHealthPort(spec) || !needsHealthPort(old)) return [];
  if (spec.healthCheckNodePort === old.healthCheckNodePort) return [];
  return [forbiddenField('spec.healthCheckNodePort', 'field is immutable')];
}

function validateAddresses(spec: ServiceSpec, old: ServiceSpec): readonly FieldCause[] {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return [];
  const areFamiliesFree = isHeadless(spec) || isHeadless(old);
  return [
    ...validateList('clusterIPs', spec, old),
    ...(areFamiliesFree ? [] : validateList('ipFamilies', spec, old)),
  ];
}

/** What was given stays as it was; that a second entry goes is judged elsewhere. */
function validateList(
  field: 'clusterIPs' | 'ipFamilies',
  spec: ServiceSpec,
  old: ServiceSpec,
): readonly FieldCause[] {
  const [now, before] = [spec[field] ?? [], old[field] ?? []];
  return before.flatMap((entry, index) => {
    const isChanged = now[index] !== undefined && now[index] !== entry;
    return isChanged ? [invalidValue(`spec.${field}[${index}]`, now, fixed)] : [];
  });
}
