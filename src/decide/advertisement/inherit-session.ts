/** What a neighbour takes from its peer group: whatever it does not state itself, block by block. */

import type { BgpPeerGroup, BgpSession } from '../../model/bgp-config.ts';

export interface Inheritance {
  readonly session: BgpSession;
  readonly inherited: readonly string[];
  /** Both state an AS number, and not the same. */
  readonly isOverridden: boolean;
}

const blocks = [
  'description',
  'localAsn',
  'password',
  'sendCommunity',
  'removePrivate',
  'sendSoftwareVersion',
  'families',
  'policy',
  'timers',
  'transport',
  'gracefulRestart',
  'multihopTtl',
  'leastTtl',
  'bfd',
] as const satisfies readonly (keyof BgpSession)[];

/** Whoever states one of these states them all. */
const together = [
  'allowOwnAsn',
  'replacePeerAsn',
  'allowAspathLoopLocal',
] as const satisfies readonly (keyof BgpSession)[];

export function inheritSession(own: BgpSession, group: BgpPeerGroup | undefined): Inheritance {
  if (group === undefined) return { session: own, inherited: [], isOverridden: false };
  const statesOptions = together.some((field) => own[field] !== undefined);
  const missing = [
    ...blocks.filter((field) => own[field] === undefined),
    ...(statesOptions ? [] : together),
  ].filter((field) => group[field] !== undefined);
  const isTaken = group.peerAsn !== undefined && group.peerAsn !== own.peerAsn;
  return {
    session: {
      ...own,
      ...Object.fromEntries(missing.map((field) => [field, group[field]])),
      peerAsn: group.peerAsn ?? own.peerAsn,
    },
    inherited: [...(isTaken ? ['peerAsn'] : []), ...missing],
    isOverridden: isTaken && own.peerAsn !== undefined,
  };
}
