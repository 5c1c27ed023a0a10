/** The expression language as Kubernetes has it: CEL with functions for lists, strings, addresses and networks. */

import { Environment } from '@marcbachmann/cel-js';
import {
  CelCidr,
  CelIp,
  cidrText,
  containsCidr,
  containsIp,
  familyNumber,
  ipPredicates,
  masked,
  mustCidr,
  mustIp,
  readCidr,
  readIp,
} from './network-values.ts';

/** What `oldSelf` is: the old value, or an optional that may hold one. */
export type OldSelfType = 'dyn' | 'optional<dyn>';

const environments = new Map<OldSelfType, Environment>();

/** Made when the first rule asks for it. */
export function celEnvironment(oldSelf: OldSelfType): Environment {
  const known = environments.get(oldSelf);
  if (known !== undefined) return known;
  const made = makeEnvironment(oldSelf);
  environments.set(oldSelf, made);
  return made;
}

function makeEnvironment(oldSelf: OldSelfType): Environment {
  const made = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false })
    .registerVariable('self', 'dyn')
    .registerVariable('oldSelf', oldSelf);
  addLibraries(made);
  return made;
}

/** The functions that Kubernetes adds to the language, wherever it is used. */
export function addLibraries(made: Environment): void {
  addNetworks(made);
  addStrings(made);
  addLists(made);
}

function addNetworks(made: Environment): void {
  made
    .registerType('IP', { ctor: CelIp, fields: {} })
    .registerType('CIDR', { ctor: CelCidr, fields: {} })
    .registerFunction('ip(string): IP', mustIp)
    .registerFunction('isIP(string): bool', (text: string) => readIp(text) !== undefined)
    .registerFunction('cidr(string): CIDR', mustCidr)
    .registerFunction('isCIDR(string): bool', (text: string) => readCidr(text) !== undefined)
    .registerFunction('string(IP): string', ({ ip }: CelIp) => ip)
    .registerFunction('string(CIDR): string', cidrText)
    .registerFunction('IP.family(): int', familyNumber)
    .registerFunction('CIDR.ip(): IP', ({ prefix }: CelCidr) => new CelIp(prefix.ip))
    .registerFunction('CIDR.prefixLength(): int', ({ prefix }: CelCidr) => BigInt(prefix.length))
    .registerFunction('CIDR.masked(): CIDR', masked)
    .registerFunction('CIDR.containsIP(IP): bool', containsIp)
    .registerFunction('CIDR.containsIP(string): bool', (cidr: CelCidr, text: string) =>
      containsIp(cidr, mustIp(text)),
    )
    .registerFunction('CIDR.containsCIDR(CIDR): bool', containsCidr)
    .registerFunction('CIDR.containsCIDR(string): bool', (cidr: CelCidr, text: string) =>
      containsCidr(cidr, mustCidr(text)),
    )
    .registerOperator('IP == IP', (left: CelIp, right: CelIp) => left.ip === right.ip)
    .registerOperator(
      'CIDR == CIDR',
      (left: CelCidr, right: CelCidr) => cidrText(left) === cidrText(right),
    );
  for (const [name, holds] of Object.entries(ipPredicates)) {
    made.registerFunction(`IP.${name}(): bool`, holds);
  }
}

function addStrings(made: Environment): void {
  made
    .registerFunction(
      'string.replace(string, string): string',
      (text: string, from: string, to: string) => text.replaceAll(from, to),
    )
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) =>
      text.charAt(Number(index)),
    )
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      [...text.matchAll(new RegExp(pattern, 'gu'))].map(([match]) => match),
    )
    .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text));
}

type Ordered = bigint | number | string;

function addLists(made: Environment): void {
  const compare = (left: Ordered, right: Ordered) => (left < right ? -1 : Number(left > right));
  made
    .registerFunction('list<dyn>.isSorted(): bool', (list: Ordered[]) =>
      list.every((item, index) => index === 0 || compare(list[index - 1] ?? item, item) <= 0),
    )
    .registerFunction('list<dyn>.sum(): dyn', (list: bigint[]) =>
      list.reduce((sum, item) => sum + item, 0n),
    )
    .registerFunction('list<dyn>.min(): dyn', (list: Ordered[]) => list.toSorted(compare)[0])
    .registerFunction('list<dyn>.max(): dyn', (list: Ordered[]) => list.toSorted(compare).at(-1))
    .registerFunction('list<dyn>.indexOf(dyn): int', (list: Ordered[], item: Ordered) =>
      BigInt(list.indexOf(item)),
    );
}
