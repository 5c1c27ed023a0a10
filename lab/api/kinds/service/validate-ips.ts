import { type Ip, isIpv4Mapped, parseIp } from '../../../../src/model/ip.ts';
import { isProblem } from '../../../../src/model/parsed.ts';
import { type FieldCause, invalidValue } from '../../field-cause.ts';

/** For addresses that traffic from outside is sent to. */
export function validateIp(text: string, field: string): readonly FieldCause[] {
  const ip = parseIp(text);
  if (isProblem(ip)) return [notAnIp(text, field)];
  const problem = specialRanges.find(({ matches }) => matches(ip.value));
  return problem === undefined ? [] : [invalidValue(field, text, problem.detail)];
}

export function notAnIp(text: string, field: string): FieldCause {
  const hasLeadingZeros = /^[\d.]+$/.test(text) && /(^|\.)0\d/.test(text);
  const detail = hasLeadingZeros
    ? 'must not have leading 0s'
    : 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return invalidValue(field, text, detail);
}

const specialRanges: readonly { matches: (ip: Ip) => boolean; detail: string }[] = [
  {
    matches: (ip) => ip === '0.0.0.0',
    detail: 'may not be unspecified (0.0.0.0)',
  },
  {
    matches: (ip) => ip === '::',
    detail: 'may not be unspecified (::)',
  },
  {
    matches: (ip) =>
      ip.startsWith('127.') || ip === '::1' || (isIpv4Mapped(ip) && ip.includes(':127.')),
    detail: 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  },
  {
    matches: (ip) => ip.startsWith('169.254.') || /^fe[89ab]/.test(ip),
    detail: 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  },
  {
    matches: (ip) => ip.startsWith('224.0.0.') || /^ff[0-9a-f]2:/.test(ip),
    detail: 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  },
];
