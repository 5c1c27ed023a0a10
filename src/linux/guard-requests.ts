/** From what the kernel has of the guard to what it shall have, as the requests of one transaction. */

import { NLM_F_APPEND, NLM_F_CREATE } from '../wire/netlink-message.ts';
import { encodeGuardKey, type GuardKeys } from '../wire/nftables/guard-keys.ts';
import {
  type GuardSetName,
  guardChains,
  guardRules,
  guardSets,
  guardTable,
} from '../wire/nftables/guard-table.ts';
import { encodeChain } from '../wire/nftables/nft-chain.ts';
import { encodeTable, encodeTableName, NftMessage } from '../wire/nftables/nft-message.ts';
import { encodeRule } from '../wire/nftables/nft-rule.ts';
import { encodeElements, encodeSet, mostKeys } from '../wire/nftables/nft-set.ts';
import type { NetlinkRequest } from './netlink-connection.ts';

export type GuardFound =
  | { readonly kind: 'absent' }
  /** There is a table of ours, but it is not known to do what the guard does. */
  | { readonly kind: 'other' }
  | { readonly kind: 'standing'; readonly keys: GuardKeys };

const setNames = Object.keys(guardSets) as readonly GuardSetName[];

/** None where everything is as it shall be. */
export function planGuardRequests(found: GuardFound, wanted: GuardKeys): readonly NetlinkRequest[] {
  const isWanted = wanted.addresses4.size + wanted.addresses6.size > 0;
  if (found.kind === 'absent') return isWanted ? create(wanted) : [];
  if (!isWanted) return removeTable();
  if (found.kind === 'other') return [...removeTable(), ...create(wanted)];
  return setNames.flatMap((set) => changeKeys(set, found.keys[set], wanted[set]));
}

/** Making it first lets the removal succeed, whatever became of the table meanwhile. */
function removeTable(): readonly NetlinkRequest[] {
  const encodeBody = () => encodeTableName(guardTable.name);
  return [
    { type: NftMessage.newTable, encodeBody },
    { type: NftMessage.deleteTable, encodeBody },
  ];
}

function create(wanted: GuardKeys): readonly NetlinkRequest[] {
  const flags = NLM_F_CREATE;
  return [
    { type: NftMessage.newTable, encodeBody: () => encodeTable(guardTable) },
    ...guardChains.map((chain) => {
      return { type: NftMessage.newChain, flags, encodeBody: () => encodeChain(chain) };
    }),
    ...setNames.map((name, index) => {
      const encodeBody = () => encodeSet(guardSets[name], index + 1);
      return { type: NftMessage.newSet, flags, encodeBody };
    }),
    ...setNames.flatMap((name) => addKeys(name, [...wanted[name]])),
    ...guardRules.map((rule) => {
      const encodeBody = () => encodeRule(rule);
      return { type: NftMessage.newRule, flags: flags | NLM_F_APPEND, encodeBody };
    }),
  ];
}

function changeKeys(
  name: GuardSetName,
  found: ReadonlySet<string>,
  wanted: ReadonlySet<string>,
): readonly NetlinkRequest[] {
  const type = NftMessage.deleteElements;
  const gone = requestsFor(name, [...found.difference(wanted)], { type });
  return [...gone, ...addKeys(name, [...wanted.difference(found)])];
}

function addKeys(name: GuardSetName, keys: readonly string[]): readonly NetlinkRequest[] {
  return requestsFor(name, keys, { type: NftMessage.newElements, flags: NLM_F_CREATE });
}

function requestsFor(
  set: GuardSetName,
  keys: readonly string[],
  header: Pick<NetlinkRequest, 'type' | 'flags'>,
): readonly NetlinkRequest[] {
  const requests: NetlinkRequest[] = [];
  for (let start = 0; start < keys.length; start += mostKeys) {
    const part = keys.slice(start, start + mostKeys);
    const encodeBody = () =>
      encodeElements({ table: guardTable.name, set, keys: part.map(encodeGuardKey) });
    requests.push({ ...header, encodeBody });
  }
  return requests;
}
