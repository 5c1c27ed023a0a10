/** Rules: in which chain, and their steps. */

import { ByteWriter } from '../byte-writer.ts';
import { AttributeReader, putNested, putString } from '../netlink-attributes.ts';
import { NftAttributes } from './nft-attributes.ts';
import { decodeExpression, type NftExpression, putExpression } from './nft-expression.ts';
import { NFPROTO_INET, nftHeaderLength, putNftHeader } from './nft-message.ts';

const NFTA_RULE_TABLE = 1;
const NFTA_RULE_CHAIN = 2;
const NFTA_RULE_EXPRESSIONS = 4;
const NFTA_LIST_ELEM = 1;

export interface NftRule {
  readonly table: string;
  readonly chain: string;
  readonly expressions: readonly NftExpression[];
}

export function encodeRule({ table, chain, expressions }: NftRule): Uint8Array {
  const writer = putNftHeader(new ByteWriter(384), NFPROTO_INET);
  putString(writer, NFTA_RULE_TABLE, table);
  putString(writer, NFTA_RULE_CHAIN, chain);
  putNested(writer, NFTA_RULE_EXPRESSIONS, () => {
    for (const expression of expressions) {
      putNested(writer, NFTA_LIST_ELEM, () => putExpression(writer, expression));
    }
  });
  return writer.finish();
}

/** The question for the rules of a chain. */
export function encodeChainName(
  { table, chain }: Pick<NftRule, 'table' | 'chain'>,
  family: number,
): Uint8Array {
  const writer = putNftHeader(new ByteWriter(64), family);
  putString(writer, NFTA_RULE_TABLE, table);
  putString(writer, NFTA_RULE_CHAIN, chain);
  return writer.finish();
}

export function decodeRule(body: Uint8Array): NftRule {
  const attributes = new NftAttributes(body, nftHeaderLength, 'nf_tables rule');
  const expressions: NftExpression[] = [];
  if (attributes.has(NFTA_RULE_EXPRESSIONS)) {
    const list = attributes.bytes(NFTA_RULE_EXPRESSIONS);
    const reader = new AttributeReader(list, 0, 'nf_tables rule');
    while (reader.next()) expressions.push(decodeExpression(reader.bytes()));
  }
  const table = attributes.text(NFTA_RULE_TABLE);
  return { table, chain: attributes.text(NFTA_RULE_CHAIN), expressions };
}
