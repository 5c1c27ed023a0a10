/** What becomes of a packet, as the last step of a rule. */

import type { ByteWriter } from '../byte-writer.ts';
import { putNested, putString } from '../netlink-attributes.ts';
import { type NftAttributes, putNumber } from './nft-attributes.ts';

const NFTA_IMMEDIATE_DREG = 1;
const NFTA_IMMEDIATE_DATA = 2;
const NFTA_DATA_VERDICT = 2;
const NFTA_VERDICT_CODE = 1;
const NFTA_VERDICT_CHAIN = 2;
/** The register whose content is a verdict. */
const NFT_REG_VERDICT = 0;

export const NF_DROP = 0;
/** Only as far as this table is concerned: other tables are asked all the same. */
export const NF_ACCEPT = 1;
export const NFT_JUMP = -3;

export interface Verdict {
  readonly code: number;
  /** Where the packet goes on, for those that say so. */
  readonly chain?: string;
}

export function putVerdict(writer: ByteWriter, { code, chain }: Verdict): void {
  putNumber(writer, NFTA_IMMEDIATE_DREG, NFT_REG_VERDICT);
  putNested(writer, NFTA_IMMEDIATE_DATA, () => {
    putNested(writer, NFTA_DATA_VERDICT, () => {
      putNumber(writer, NFTA_VERDICT_CODE, code);
      if (chain !== undefined) putString(writer, NFTA_VERDICT_CHAIN, chain);
    });
  });
}

/** Undefined for data other than a verdict. */
export function readVerdict(immediate: NftAttributes): Verdict | undefined {
  const data = immediate.nested(NFTA_IMMEDIATE_DATA);
  if (immediate.number(NFTA_IMMEDIATE_DREG) !== NFT_REG_VERDICT) return undefined;
  if (!data.has(NFTA_DATA_VERDICT)) return undefined;
  const verdict = data.nested(NFTA_DATA_VERDICT);
  const code = verdict.number(NFTA_VERDICT_CODE) | 0;
  if (!verdict.has(NFTA_VERDICT_CHAIN)) return { code };
  return { code, chain: verdict.text(NFTA_VERDICT_CHAIN) };
}
