import { isProblem } from '../../../../src/model/parsed.ts';
import { parsePrefix } from '../../../../src/model/prefix.ts';
import type { ApiObject } from '../../api-object.ts';
import {
  type FieldCause,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '../../field-cause.ts';
import {
  labelsProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '../../selectors/name-rules.ts';
import {
  isExternallyAccessible,
  isHeadless,
  needsClusterIp,
  needsHealthPort,
  type ServiceSpec,
  specOf,
} from './service-spec.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';
import { validateIp } from './validate-ips.ts';
import { validatePorts } from './validate-ports.ts';

export function validateService(service: ApiObject): readonly FieldCause[] {
  const spec = specOf(service);
  return [
    ...validateTypeNeeds(spec),
    ...validatePorts(spec),
    ...labelsProblems(spec.selector ?? {}, 'spec.selector'),
    ...validateAffinity(spec),
    ...validateClusterIps(spec),
    ...(spec.externalIPs ?? []).flatMap((ip, index) =>
      validateIp(ip, `spec.externalIPs[${index}]`),
    ),
    ...oneOf('spec.type', spec.type, ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort']),
    ...validateLoadBalancerFields(spec),
    ...validateTrafficPolicies(spec),
  ];
}

function oneOf(field: string, value: string, known: readonly string[]): readonly FieldCause[] {
  return known.includes(value) ? [] : [notSupported(field, value, known)];
}

function validateTypeNeeds(spec: ServiceSpec): readonly FieldCause[] {
  if (spec.type === 'ExternalName') return validateExternalName(spec);
  const causes: FieldCause[] = [];
  if ((spec.ports ?? []).length === 0 && !isHeadless(spec)) causes.push(required('spec.ports', ''));
  const isExposed = spec.type === 'LoadBalancer' || spec.type === 'NodePort';
  if (isExposed && isHeadless(spec)) {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    causes.push(invalidValue('spec.clusterIPs[0]', 'None', detail));
  }
  return causes;
}

function validateExternalName(spec: ServiceSpec): readonly FieldCause[] {
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  const detail = 'may not be set for ExternalName services';
  return [
    ...((spec.clusterIPs ?? []).length > 0 ? [forbiddenField('spec.clusterIPs', detail)] : []),
    ...((spec.ipFamilies ?? []).length > 0 ? [forbiddenField('spec.ipFamilies', detail)] : []),
    ...(spec.ipFamilyPolicy === undefined ? [] : [forbiddenField('spec.ipFamilyPolicy', detail)]),
    ...(name === ''
      ? [required('spec.externalName', '')]
      : subdomainProblems(name).map((problem) => invalidValue('spec.externalName', name, problem))),
  ];
}

function validateAffinity(spec: ServiceSpec): readonly FieldCause[] {
  const { sessionAffinity = '', sessionAffinityConfig } = spec;
  const timeout = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 1;
  const field = 'spec.sessionAffinityConfig.clientIP.timeoutSeconds';
  return [
    ...oneOf('spec.sessionAffinity', sessionAffinity, ['ClientIP', 'None']),
    ...(sessionAffinity === 'ClientIP' && (timeout <= 0 || timeout > 86_400)
      ? [invalidValue(field, timeout, 'must be greater than 0 and less than 86400')]
      : []),
  ];
}

const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

function validateLoadBalancerFields(spec: ServiceSpec): readonly FieldCause[] {
  const { type, loadBalancerSourceRanges = [], loadBalancerClass } = spec;
  if (type === 'LoadBalancer') {
    return [
      ...loadBalancerSourceRanges.flatMap(validateRange),
      ...(loadBalancerClass === undefined
        ? []
        : qualifiedNameProblems(loadBalancerClass).map((problem) =>
            invalidValue('spec.loadBalancerClass', loadBalancerClass, problem),
          )),
    ];
  }
  const fields: readonly [string, boolean][] = [
    ['spec.LoadBalancerSourceRanges', loadBalancerSourceRanges.length > 0],
    ['spec.allocateLoadBalancerNodePorts', spec.allocateLoadBalancerNodePorts !== undefined],
    ['spec.loadBalancerClass', loadBalancerClass !== undefined],
  ];
  return fields.flatMap(([field, isSet]) =>
    isSet ? [forbiddenField(field, onlyLoadBalancer)] : [],
  );
}

function validateRange(text: string, index: number): readonly FieldCause[] {
  // Blanks around a range are an old habit that is still taken.
  if (!isProblem(parsePrefix(text.trim()))) return [];
  const detail = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';
  return [invalidValue(`spec.LoadBalancerSourceRanges[${index}]`, text, detail)];
}

function validateTrafficPolicies(spec: ServiceSpec): readonly FieldCause[] {
  const { externalTrafficPolicy: external, internalTrafficPolicy: internal } = spec;
  const { trafficDistribution } = spec;
  const policies = ['Cluster', 'Local'];
  return [
    ...validateExternalPolicy(spec, external),
    ...(internal === undefined || !needsClusterIp(spec)
      ? []
      : oneOf('spec.internalTrafficPolicy', internal, policies)),
    ...(trafficDistribution === undefined
      ? []
      : oneOf('spec.trafficDistribution', trafficDistribution, [
          'PreferClose',
          'PreferSameZone',
          'PreferSameNode',
        ])),
  ];
}

function validateExternalPolicy(
  spec: ServiceSpec,
  policy: string | undefined,
): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  const field = 'spec.externalTrafficPolicy';
  if (isExternallyAccessible(spec)) {
    causes.push(...oneOf(field, policy ?? '', ['Cluster', 'Local']));
  } else if (policy !== undefined) {
    causes.push(invalidValue(field, policy, 'may only be set for externally-accessible services'));
  }
  const { healthCheckNodePort: port } = spec;
  if (port !== undefined && port !== 0 && !needsHealthPort(spec)) {
    const detail =
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    causes.push(invalidValue('spec.healthCheckNodePort', port, detail));
  }
  return causes;
}
