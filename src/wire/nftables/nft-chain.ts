/** Chains: a base chain sees packets at a hook of the network stack, others only what is sent to them. */

import { ByteWriter } from '../byte-writer.ts';
import { putNested, putString } from '../netlink-attributes.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';
import { NFPROTO_INET, nftHeaderLength, putNftHeader } from './nft-message.ts';

const NFTA_CHAIN_TABLE = 1;
const NFTA_CHAIN_NAME = 3;
const NFTA_CHAIN_HOOK = 4;
const NFTA_CHAIN_POLICY = 5;
const NFTA_CHAIN_TYPE = 7;
const NFTA_HOOK_HOOKNUM = 1;
const NFTA_HOOK_PRIORITY = 2;

/** What is for this machine itself, after it was decided that it is. */
export const NF_INET_LOCAL_IN = 1;

export interface NftChain {
  readonly table: string;
  readonly name: string;
  readonly base?: BaseChain;
}

export interface BaseChain {
  readonly type: string;
  readonly hook: number;
  /** Lower ones are asked first; 0 is where filters are. */
  readonly priority: number;
  /** What becomes of a packet that no rule decides about. */
  readonly policy: number;
}

export function encodeChain({ table, name, base }: NftChain): Uint8Array {
  const writer = putNftHeader(new ByteWriter(96), NFPROTO_INET);
  putString(writer, NFTA_CHAIN_TABLE, table);
  putString(writer, NFTA_CHAIN_NAME, name);
  if (base === undefined) return writer.finish();
  putString(writer, NFTA_CHAIN_TYPE, base.type);
  putNumber(writer, NFTA_CHAIN_POLICY, base.policy);
  putNested(writer, NFTA_CHAIN_HOOK, () => {
    putNumber(writer, NFTA_HOOK_HOOKNUM, base.hook);
    putNumber(writer, NFTA_HOOK_PRIORITY, base.priority);
  });
  return writer.finish();
}

export function decodeChain(body: Uint8Array): NftChain {
  const attributes = new NftAttributes(body, nftHeaderLength, 'nf_tables chain');
  const table = attributes.text(NFTA_CHAIN_TABLE);
  const name = attributes.text(NFTA_CHAIN_NAME);
  if (!attributes.has(NFTA_CHAIN_HOOK)) return { table, name };
  const hook = attributes.nested(NFTA_CHAIN_HOOK);
  const base = {
    type: attributes.text(NFTA_CHAIN_TYPE),
    hook: hook.number(NFTA_HOOK_HOOKNUM),
    priority: hook.number(NFTA_HOOK_PRIORITY) | 0,
    policy: attributes.number(NFTA_CHAIN_POLICY),
  };
  return { table, name, base };
}
