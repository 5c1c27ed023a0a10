import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { ipOf } from '../model/ip.ts';
import { guardText } from '../wire/nftables/nft-frames.fixture.ts';
import { type GuardWorld, guardContract } from './guard.contract.ts';
import { NftablesGuard } from './nftables-guard.ts';

const skip = missing('nft');

function nft(...command: readonly string[]): string {
  return execFileSync('nft', command, { encoding: 'utf8', maxBuffer: 1 << 26 });
}

type Element = string | { readonly concat: readonly (string | number)[] };
interface Listing {
  readonly nftables: readonly { readonly set?: { readonly elem?: readonly Element[] } }[];
}

/** What the sets of our table have in them, as nft reads it. */
function look(): readonly string[] | undefined {
  const argv = ['--json', 'list', 'table', 'inet', 'purelb'];
  const { status, stdout } = spawnSync('nft', argv, { encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) return undefined;
  const { nftables } = JSON.parse(stdout) as Listing;
  const elements = nftables.flatMap(({ set }) => set?.elem ?? []);
  return elements.map((one) => (typeof one === 'string' ? one : one.concat.join(' '))).sort();
}

const others = `
table inet purelb-other {
  chain input { type filter hook input priority 5; }
}
table ip purelb {
  set addresses4 { type ipv4_addr; elements = { 192.0.2.1 }; }
}
`;

function makeWorld(): GuardWorld {
  enterFreshNamespace();
  execFileSync('nft', ['-f', '-'], { input: others });
  const table = 'inet purelb';
  return {
    openGuard: () => new NftablesGuard(),
    look,
    damages: {
      'the table is gone': () => nft(`delete table ${table}`),
      'a port is open': () => nft(`add element ${table} ports4 { 192.0.2.100 . tcp . 22 }`),
      'an address is unguarded': () => nft(`flush set ${table} addresses6`),
      'a chain is empty': () => nft(`flush chain ${table} guarded`),
      'a rule is in front': () => nft(`insert rule ${table} guarded accept`),
      'the table sleeps': () => nft(`add table ${table} { flags dormant; }`),
      'a set is of another kind': () => {
        nft(`delete table ${table}`);
        nft(`add table ${table}`);
        nft(`add set ${table} addresses4 { type ipv4_addr; flags interval; }`);
      },
    },
    lookAtOthers: () => nft('list table inet purelb-other') + nft('list table ip purelb'),
  };
}

guardContract('NftablesGuard', makeWorld, skip);

const rules = {
  addresses: ['192.0.2.100', '192.0.2.101', '2001:db8::100'].map(ipOf),
  openings: [
    { ip: ipOf('192.0.2.100'), protocol: 'TCP', port: 80 },
    { ip: ipOf('192.0.2.101'), protocol: 'UDP', port: 53 },
    { ip: ipOf('2001:db8::100'), protocol: 'SCTP', port: 5060 },
  ],
} as const;

/** One line for all elements of a set, in order. */
function tidy(text: string): string {
  return text.replace(/elements = \{([^}]*)\}/g, (_, list: string) => {
    return `elements = { ${list
      .split(',')
      .map((one) => one.trim())
      .sort()
      .join(', ')} }`;
  });
}

test('nft lists the table as it would have made it itself', { skip }, async () => {
  enterFreshNamespace();
  execFileSync('ip', ['link', 'set', 'dev', 'lo', 'up']);
  const guard = new NftablesGuard();
  assert.deepEqual(await guard.apply(rules), { kind: 'changed' });
  assert.equal(tidy(nft('list', 'ruleset')), tidy(guardText));
  guard.close();
});

test('a table that nft made alike is left as it is', { skip }, async () => {
  enterFreshNamespace();
  execFileSync('nft', ['-f', '-'], { input: guardText });
  const guard = new NftablesGuard();
  assert.deepEqual(await guard.apply(rules), { kind: 'unchanged' });
  guard.close();
});

test('what was counted stays over changes of Services', { skip }, async () => {
  enterFreshNamespace();
  execFileSync('nft', ['-f', '-'], {
    input: guardText.replace('packets 0 bytes 0', 'packets 7 bytes 9'),
  });
  const guard = new NftablesGuard();
  assert.deepEqual(await guard.apply({ ...rules, addresses: rules.addresses.slice(1) }), {
    kind: 'changed',
  });
  assert.match(nft('list', 'ruleset'), /counter packets 7 bytes 9 drop/);
  guard.close();
});
