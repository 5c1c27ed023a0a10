/** Sets of keys that rules look things up in, and the keys in them. */

import { ByteWriter } from '../byte-writer.ts';
import { AttributeReader, putAttribute, putNested, putString } from '../netlink-attributes.ts';
import { WireError } from '../wire-error.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';
import { NFPROTO_INET, nftHeaderLength, putNftHeader } from './nft-message.ts';

const NFTA_SET_TABLE = 1;
const NFTA_SET_NAME = 2;
const NFTA_SET_FLAGS = 3;
const NFTA_SET_KEY_TYPE = 4;
const NFTA_SET_KEY_LEN = 5;
const NFTA_SET_ID = 10;

const NFTA_SET_ELEM_LIST_TABLE = 1;
const NFTA_SET_ELEM_LIST_SET = 2;
const NFTA_SET_ELEM_LIST_ELEMENTS = 3;
const NFTA_LIST_ELEM = 1;
const NFTA_SET_ELEM_KEY = 1;
const NFTA_DATA_VALUE = 1;

export interface NftSet {
  readonly table: string;
  readonly name: string;
  /** For people who list the set: the kernel does not look at it. */
  readonly keyType: number;
  readonly keyLength: number;
  /** Not 0: ranges, maps, time limits and the like. */
  readonly flags: number;
}

/** `id` names the set within its transaction; the kernel wants one. */
export function encodeSet({ table, name, keyType, keyLength, flags }: NftSet, id: number) {
  const writer = putNftHeader(new ByteWriter(80), NFPROTO_INET);
  putString(writer, NFTA_SET_TABLE, table);
  putString(writer, NFTA_SET_NAME, name);
  putNumber(writer, NFTA_SET_FLAGS, flags);
  putNumber(writer, NFTA_SET_KEY_TYPE, keyType);
  putNumber(writer, NFTA_SET_KEY_LEN, keyLength);
  putNumber(writer, NFTA_SET_ID, id);
  return writer.finish();
}

export function decodeSet(body: Uint8Array): NftSet {
  const attributes = new NftAttributes(body, nftHeaderLength, 'nf_tables set');
  return {
    table: attributes.text(NFTA_SET_TABLE),
    name: attributes.text(NFTA_SET_NAME),
    keyType: attributes.number(NFTA_SET_KEY_TYPE),
    keyLength: attributes.number(NFTA_SET_KEY_LEN),
    flags: attributes.has(NFTA_SET_FLAGS) ? attributes.number(NFTA_SET_FLAGS) : 0,
  };
}

/** So many fit a message, whose nests are at most 64 KiB long. */
export const mostKeys = 1000;

export interface NftElements {
  readonly table: string;
  readonly set: string;
  readonly keys: readonly Uint8Array[];
}

/** Also the question for these keys of a set, or without any for all of them. */
export function encodeElements(
  { table, set, keys }: NftElements,
  family = NFPROTO_INET,
): Uint8Array {
  if (keys.length > mostKeys) throw new RangeError(`${keys.length} keys in one message`);
  const writer = putNftHeader(new ByteWriter(64 + 40 * keys.length), family);
  putString(writer, NFTA_SET_ELEM_LIST_TABLE, table);
  putString(writer, NFTA_SET_ELEM_LIST_SET, set);
  if (keys.length === 0) return writer.finish();
  putNested(writer, NFTA_SET_ELEM_LIST_ELEMENTS, () => {
    for (const key of keys) putElement(writer, key);
  });
  return writer.finish();
}

function putElement(writer: ByteWriter, key: Uint8Array): void {
  putNested(writer, NFTA_LIST_ELEM, () => {
    putNested(writer, NFTA_SET_ELEM_KEY, () => putAttribute(writer, NFTA_DATA_VALUE, key));
  });
}

export function decodeElements(body: Uint8Array): NftElements {
  const what = 'nf_tables elements';
  const attributes = new NftAttributes(body, nftHeaderLength, what);
  const keys: Uint8Array[] = [];
  if (attributes.has(NFTA_SET_ELEM_LIST_ELEMENTS)) {
    const list = attributes.bytes(NFTA_SET_ELEM_LIST_ELEMENTS);
    const reader = new AttributeReader(list, 0, what);
    while (reader.next()) {
      const key = find(reader.nested(), NFTA_SET_ELEM_KEY).nested();
      keys.push(find(key, NFTA_DATA_VALUE).bytes().slice());
    }
  }
  const table = attributes.text(NFTA_SET_ELEM_LIST_TABLE);
  return { table, set: attributes.text(NFTA_SET_ELEM_LIST_SET), keys };
}

/** Without a table of all attributes: there are tens of thousands of elements. */
function find(reader: AttributeReader, type: number): AttributeReader {
  while (reader.next()) if (reader.type === type) return reader;
  throw new WireError('WIRE_MALFORMED', `nf_tables elements: attribute ${type} is missing`);
}
