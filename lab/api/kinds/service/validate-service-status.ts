import type { ApiObject } from '../../api-object.ts';
import {
  type FieldCause,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field-cause.ts';
import { subdomainProblems } from '../../selectors/name-rules.ts';
import { ingressOf, type LoadBalancerIngress, specOf } from './service-spec.ts';
import { validateIp } from './validate-ips.ts';

export function validateServiceStatus(service: ApiObject): readonly FieldCause[] {
  const ingress = ingressOf(service);
  const path = 'status.loadBalancer.ingress';
  if (specOf(service).type !== 'LoadBalancer' && ingress.length > 0) {
    return [forbiddenField(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  }
  return ingress.flatMap((entry, index) => validateIngress(entry, `${path}[${index}]`));
}

function validateIngress(
  { ip, hostname, ipMode }: LoadBalancerIngress,
  path: string,
): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  if (ip !== undefined) causes.push(...validateIp(ip, `${path}.ip`));
  if (ip !== undefined && ipMode === undefined) {
    causes.push(required(`${path}.ipMode`, 'must be specified when `ip` is set'));
  }
  if (ip === undefined && ipMode !== undefined) {
    causes.push(forbiddenField(`${path}.ipMode`, 'may not be specified when `ip` is not set'));
  }
  if (ipMode !== undefined && ipMode !== 'VIP' && ipMode !== 'Proxy') {
    causes.push(notSupported(`${path}.ipMode`, ipMode, ['Proxy', 'VIP']));
  }
  if (hostname !== undefined) {
    const problems = subdomainProblems(hostname);
    causes.push(...problems.map((text) => invalidValue(`${path}.hostname`, hostname, text)));
  }
  return causes;
}
