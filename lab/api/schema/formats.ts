/** `format` of strings, as far as the real server checks them. */

import { familyOf, parseIp } from '../../../src/model/ip.ts';
import { isProblem } from '../../../src/model/parsed.ts';
import { parsePrefix } from '../../../src/model/prefix.ts';

const isFamily = (text: string, family: string) => {
  const ip = parseIp(text);
  return !isProblem(ip) && familyOf(ip.value) === family;
};

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const goDuration = /^[+-]?(\d+(\.\d*)?(ns|us|µs|μs|ms|s|m|h))+$/;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': (text) =>
    /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/.test(text) &&
    !Number.isNaN(Date.parse(text)),
  date: (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)),
  duration: (text) => goDuration.test(text) || text === '0',
  ipv4: (text) => isFamily(text, 'ipv4'),
  ipv6: (text) => isFamily(text, 'ipv6'),
  cidr: (text) => !isProblem(parsePrefix(text)),
  mac: (text) => /^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$/i.test(text),
  uuid: (text) => uuid.test(text),
  uri: (text) => URL.canParse(text) || text.startsWith('/'),
  hostname: (text) => /^[a-zA-Z0-9]([-a-zA-Z0-9.]{0,253}[a-zA-Z0-9])?$/.test(text),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  byte: (text) => /^[A-Za-z0-9+/]*={0,2}$/.test(text),
};

export function hasFormat(text: string, format: string): boolean {
  return checks[format]?.(text) ?? true;
}
