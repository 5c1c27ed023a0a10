/** What the kernel has of the guard, compared with what the guard's table is. */

import { decodeGuardKey, type GuardKeys } from '../wire/nftables/guard-keys.ts';
import {
  type GuardSetName,
  guardChains,
  guardRules,
  guardSets,
  guardTable,
} from '../wire/nftables/guard-table.ts';
import { decodeChain, encodeChain } from '../wire/nftables/nft-chain.ts';
import { decodeTable, encodeTableName, NftMessage } from '../wire/nftables/nft-message.ts';
import { decodeRule, encodeRule } from '../wire/nftables/nft-rule.ts';
import {
  decodeElements,
  decodeSet,
  encodeElements,
  encodeSet,
  type NftSet,
} from '../wire/nftables/nft-set.ts';
import type { GuardFound } from './guard-requests.ts';
import { errno } from './libc.ts';
import type { NetlinkConnection } from './netlink-connection.ts';
import { NetlinkError } from './netlink-error.ts';

type Connection = Pick<NetlinkConnection, 'ask' | 'dump'>;

const { name } = guardTable;
const encodeBody = () => encodeTableName(name);

/** What cannot be read for sure is taken for something else: that is then replaced as a whole. */
export async function readGuard(connection: Connection): Promise<GuardFound> {
  try {
    const table = await readTable(connection);
    if (table === undefined) return { kind: 'absent' };
    if (table.flags !== guardTable.flags) return { kind: 'other' };
    if (!(await hasGuardShape(connection))) return { kind: 'other' };
    return { kind: 'standing', keys: await readKeys(connection) };
  } catch (error) {
    if (error instanceof NetlinkError) return { kind: 'other' };
    throw error;
  }
}

async function readTable(connection: Connection) {
  const request = { type: NftMessage.getTable, encodeBody };
  try {
    return await connection.ask('find the guard', request, decodeTable);
  } catch (error) {
    if (error instanceof NetlinkError && error.errno === errno.ENOENT) return undefined;
    throw error;
  }
}

/** By their encoding, which leaves out what only the kernel knows: handles, counts. */
async function hasGuardShape(connection: Connection): Promise<boolean> {
  const chains = await readAll(connection, NftMessage.getChain, decodeChain);
  const sets = await readAll(connection, NftMessage.getSet, decodeSet);
  const rules = await readAll(connection, NftMessage.getRule, decodeRule);
  const encodeAnySet = (set: NftSet) => encodeSet(set, 0);
  return (
    isSame(chains.map(encodeChain), guardChains.map(encodeChain)) &&
    isSame(sets.map(encodeAnySet), Object.values(guardSets).map(encodeAnySet)) &&
    isSame(rules.map(encodeRule), guardRules.map(encodeRule))
  );
}

/** Older kernels tell of all tables, whichever was asked for. */
async function readAll<T extends { readonly table: string }>(
  connection: Connection,
  type: number,
  decode: (body: Uint8Array) => T,
): Promise<readonly T[]> {
  const found = await connection.dump('read the guard', { type, encodeBody }, decode);
  return found.filter(({ table }) => table === name);
}

async function readKeys(connection: Connection): Promise<GuardKeys> {
  return {
    addresses4: await readSet(connection, 'addresses4'),
    addresses6: await readSet(connection, 'addresses6'),
    ports4: await readSet(connection, 'ports4'),
    ports6: await readSet(connection, 'ports6'),
  };
}

async function readSet(connection: Connection, set: GuardSetName): Promise<ReadonlySet<string>> {
  const request = {
    type: NftMessage.getElements,
    encodeBody: () => encodeElements({ table: name, set, keys: [] }),
  };
  const parts = await connection.dump('read the guard', request, decodeElements);
  return new Set(parts.flatMap(({ keys }) => keys.map(decodeGuardKey)));
}

function isSame(left: readonly Uint8Array[], right: readonly Uint8Array[]): boolean {
  return left.map(String).join('\n') === right.map(String).join('\n');
}
