import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GuardRules, noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import { decodeGuardKey, keysOf } from '../wire/nftables/guard-keys.ts';
import { NftMessage } from '../wire/nftables/nft-message.ts';
import { decodeElements } from '../wire/nftables/nft-set.ts';
import { type GuardFound, planGuardRequests } from './guard-requests.ts';

const names = new Map<number, string>(
  Object.entries(NftMessage).map(([name, number]) => [number, name]),
);

function guarding(...ips: readonly string[]): GuardRules {
  const addresses = ips.map(ipOf);
  return {
    addresses,
    openings: addresses.map((ip) => ({ ip, protocol: 'TCP', port: 80 }) as const),
  };
}

function standing(rules: GuardRules): GuardFound {
  return { kind: 'standing', keys: keysOf(rules) };
}

/** `newTable`, or `newElements addresses4 192.0.2.100`. */
function plan(found: GuardFound, wanted: GuardRules): readonly string[] {
  return planGuardRequests(found, keysOf(wanted)).map(({ type, encodeBody }) => {
    const name = names.get(type) ?? `${type}`;
    if (!name.endsWith('Elements')) return name;
    const { set, keys } = decodeElements(encodeBody());
    return [name, set, ...keys.map(decodeGuardKey)].join(' ');
  });
}

const one = guarding('192.0.2.100');
const made = [
  'newTable',
  'newChain newChain',
  'newSet newSet newSet newSet',
  'newElements addresses4 192.0.2.100',
  'newElements ports4 192.0.2.100 6 80',
  'newRule newRule newRule newRule newRule newRule newRule newRule newRule',
].flatMap((line) => (line.includes('Elements') ? [line] : line.split(' ')));

test('where nothing is, all of it is made', () => {
  assert.deepEqual(plan({ kind: 'absent' }, one), made);
});

test('where nothing is and nothing shall be, nothing is said', () => {
  assert.deepEqual(plan({ kind: 'absent' }, noGuard), []);
  assert.deepEqual(plan(standing(one), one), []);
});

test('what is not known to be right is replaced in one go', () => {
  assert.deepEqual(plan({ kind: 'other' }, one), ['newTable', 'deleteTable', ...made]);
});

test('what shall be no more goes with the table', () => {
  for (const found of [standing(one), { kind: 'other' } as const]) {
    assert.deepEqual(plan(found, noGuard), ['newTable', 'deleteTable']);
  }
});

test('of what stands only the keys are changed', () => {
  assert.deepEqual(plan(standing(one), guarding('192.0.2.101', '2001:db8::100')), [
    'deleteElements addresses4 192.0.2.100',
    'newElements addresses4 192.0.2.101',
    'newElements addresses6 2001:db8::100',
    'deleteElements ports4 192.0.2.100 6 80',
    'newElements ports4 192.0.2.101 6 80',
    'newElements ports6 2001:db8::100 6 80',
  ]);
});

test('many keys are spread over messages', () => {
  const ips = Array.from({ length: 2500 }, (_, index) => `198.51.${index >> 8}.${index & 255}`);
  const requests = planGuardRequests(standing(one), keysOf(guarding(...ips)));
  const counts = requests.map(({ encodeBody }) => decodeElements(encodeBody()).keys.length);
  assert.deepEqual(counts, [1, 1000, 1000, 500, 1, 1000, 1000, 500]);
});
