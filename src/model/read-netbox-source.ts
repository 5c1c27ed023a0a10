import { parseAggregation } from './aggregation.ts';
import type { Cursor } from './cursor.ts';
import { parseNetboxUrl } from './netbox-url.ts';
import { type Parsed, problem } from './parsed.ts';
import type { NetboxSource } from './pool.ts';
import { networkOf, parsePrefix } from './prefix.ts';
import { parseRange } from './range.ts';

/** `spec.netbox`. */
export function readNetboxSource(cursor: Cursor): NetboxSource {
  const at = cursor.fields(
    'url',
    'tenant',
    'prefixes',
    'ranges',
    'vrf',
    'tags',
    'clusterId',
    'tokenSecretRef',
    'caBundle',
    'aggregation',
  );
  const tenant = at.tenant.parse(parseWord);
  const prefixes = at.prefixes.items().flatMap((item) => item.parse(parsePrefix) ?? []);
  const ranges = at.ranges.items().flatMap((item) => item.parse(parseRange) ?? []);
  if (![at.tenant, at.prefixes, at.ranges].some((field) => field.isPresent)) {
    cursor.refuse(
      'name prefixes or ranges to take addresses from, or the tenant whose reserved addresses are used',
    );
  }
  return {
    kind: 'netbox',
    url: at.url.required().parse(parseNetboxUrl) ?? '',
    tenant,
    prefixes: prefixes.map(networkOf),
    ranges,
    vrf: at.vrf.parse(parseWord),
    tags: at.tags.items().flatMap((item) => item.parse(parseWord) ?? []),
    clusterId: at.clusterId.parse(parseWord),
    tokenSecret: readSecretRef(at.tokenSecretRef),
    caBundle: at.caBundle.parse(parseCertificates),
    prefixLength: at.aggregation.parse((text, path) => parseAggregation(text, path, undefined)),
  };
}

function readSecretRef(cursor: Cursor): NetboxSource['tokenSecret'] {
  if (!cursor.isPresent) return undefined;
  const { name, key } = cursor.fields('name', 'key');
  return {
    name: name.required().parse(parseWord) ?? '',
    key: key.parse(parseWord) ?? 'user-token',
  };
}

function parseWord(text: string, path: string): Parsed<string> {
  return text.trim() === ''
    ? problem(path, 'is empty: leave it out, or write a name')
    : { value: text };
}

function parseCertificates(text: string, path: string): Parsed<string> {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return { value: text };
  return problem(
    path,
    'holds no certificate: paste PEM text that begins with -----BEGIN CERTIFICATE-----',
  );
}
