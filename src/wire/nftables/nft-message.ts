/**
 * Requests to nf_tables: a header of four bytes, then attributes. Changes go between two marks, as one transaction
 * that happens whole or not at all (linux/netfilter/nfnetlink.h, nf_tables.h).
 */

import { ByteWriter } from '../byte-writer.ts';
import { putString } from '../netlink-attributes.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';

export const NFNL_MSG_BATCH_BEGIN = 0x10;
export const NFNL_MSG_BATCH_END = 0x11;

const NFNL_SUBSYS_NFTABLES = 10;

/** The message types that are used, with their subsystem. */
export const NftMessage = {
  newTable: 0xa00,
  getTable: 0xa01,
  deleteTable: 0xa02,
  newChain: 0xa03,
  getChain: 0xa04,
  newRule: 0xa06,
  getRule: 0xa07,
  newSet: 0xa09,
  getSet: 0xa0a,
  newElements: 0xa0c,
  getElements: 0xa0d,
  deleteElements: 0xa0e,
  getGeneration: 0xa10,
} as const;

/** IPv4 and IPv6 in one table. */
export const NFPROTO_INET = 1;
export const NFPROTO_IPV4 = 2;
export const NFPROTO_IPV6 = 10;

const NFTA_TABLE_NAME = 1;
const NFTA_TABLE_FLAGS = 2;
const NFTA_GEN_ID = 1;

export const nftHeaderLength = 4;

export function putNftHeader(writer: ByteWriter, family: number, resource = 0): ByteWriter {
  return writer.u8(family).u8(0).u16be(resource);
}

/** The body of the messages that begin and end a transaction. */
export function encodeBatchMark(): Uint8Array {
  return putNftHeader(new ByteWriter(4), 0, NFNL_SUBSYS_NFTABLES).finish();
}

export interface NftTable {
  readonly name: string;
  /** Not 0: it is dormant, or belongs to one process. */
  readonly flags: number;
}

export function encodeTable({ name, flags }: NftTable): Uint8Array {
  const writer = putNftHeader(new ByteWriter(32), NFPROTO_INET);
  putString(writer, NFTA_TABLE_NAME, name);
  putNumber(writer, NFTA_TABLE_FLAGS, flags);
  return writer.finish();
}

export function decodeTable(body: Uint8Array): NftTable {
  const attributes = new NftAttributes(body, nftHeaderLength, 'nf_tables table');
  return { name: attributes.text(NFTA_TABLE_NAME), flags: attributes.number(NFTA_TABLE_FLAGS) };
}

/** Asks for, or removes, the table, or asks for what is in it: the name has the same number in all of these. */
export function encodeTableName(name: string, family = NFPROTO_INET): Uint8Array {
  const writer = putNftHeader(new ByteWriter(32), family);
  putString(writer, NFTA_TABLE_NAME, name);
  return writer.finish();
}

export function encodeGenerationQuery(): Uint8Array {
  return putNftHeader(new ByteWriter(4), 0).finish();
}

/** Counts the transactions, of whomever: as long as it stays the same, so does everything. */
export function decodeGeneration(body: Uint8Array): number {
  return new NftAttributes(body, nftHeaderLength, 'nf_tables generation').number(NFTA_GEN_ID);
}
