import { parseIp } from '../../../../src/model/ip.ts';
import { isProblem } from '../../../../src/model/parsed.ts';
import { duplicate, type FieldCause, invalidValue, notSupported } from '../../field-cause.ts';
import { familyOfText, type ServiceSpec } from './service-spec.ts';
import { notAnIp } from './validate-ips.ts';

/** Addresses, families and policy of a Service, each alone and together. */
export function validateClusterIps(spec: ServiceSpec): readonly FieldCause[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIPs = [] } = spec;
  return [
    ...validateFirst(spec),
    ...validateFamilies(spec),
    ...validateAddresses(clusterIPs),
    ...validateTogether(spec),
  ];
}

function validateFirst({ clusterIP, clusterIPs = [] }: ServiceSpec): readonly FieldCause[] {
  if (clusterIPs.length === 0) return [];
  const detail =
    clusterIP === undefined
      ? 'must be empty when `clusterIP` is not specified'
      : 'first value must match `clusterIP`';
  return clusterIPs[0] === clusterIP ? [] : [invalidValue('spec.clusterIPs', clusterIPs, detail)];
}

const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

function validateFamilies({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec): readonly FieldCause[] {
  return [
    ...ipFamilies.flatMap((family, index) => {
      const field = `spec.ipFamilies[${index}]`;
      if (family !== 'IPv4' && family !== 'IPv6') {
        return [notSupported(field, family, ['IPv4', 'IPv6'])];
      }
      return ipFamilies.indexOf(family) < index ? [duplicate(field, family)] : [];
    }),
    ...(ipFamilyPolicy === undefined || policies.includes(ipFamilyPolicy)
      ? []
      : [notSupported('spec.ipFamilyPolicy', ipFamilyPolicy, policies)]),
  ];
}

function validateAddresses(clusterIPs: readonly string[]): readonly FieldCause[] {
  if (clusterIPs.length > 2) {
    return [invalidValue('spec.clusterIPs', [...clusterIPs], 'may only hold up to 2 values')];
  }
  if (clusterIPs[0] === 'None') {
    return clusterIPs.length === 1
      ? []
      : [
          invalidValue(
            'spec.clusterIPs',
            [...clusterIPs],
            "'None' must be the first and only value",
          ),
        ];
  }
  const broken = clusterIPs.flatMap((ip, index) =>
    isProblem(parseIp(ip)) ? [notAnIp(ip, `spec.clusterIPs[${index}]`)] : [],
  );
  const [first = '', second] = clusterIPs;
  if (second === undefined || familyOfText(first) !== familyOfText(second)) return broken;
  const detail = 'may specify no more than one IP for each IP family';
  return [...broken, invalidValue('spec.clusterIPs', [...clusterIPs], detail)];
}

function validateTogether({ clusterIPs = [], ipFamilies = [] }: ServiceSpec) {
  return clusterIPs.flatMap((ip, index) => {
    const family = ipFamilies[index];
    const isKnown = family === 'IPv4' || family === 'IPv6';
    if (ip === 'None' || !isKnown || isProblem(parseIp(ip)) || familyOfText(ip) === family) {
      return [];
    }
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidValue(`spec.clusterIPs[${index}]`, ip, detail)];
  });
}
