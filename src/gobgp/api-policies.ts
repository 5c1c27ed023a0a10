/** Messages of GoBGP's API (version 4) about policies, as far as we use them. */

import {
  bool,
  int64,
  message,
  nested,
  repeated,
  string,
  strings,
  uint32,
} from '../runtime/protobuf.ts';
import { family } from './api-peers.ts';

export const definedSet = message({
  definedType: uint32(1),
  name: string(2),
  list: strings(3),
  prefixes: repeated(
    4,
    message({ ipPrefix: string(1), maskLengthMin: uint32(2), maskLengthMax: uint32(3) }),
  ),
});

const matchSet = message({ type: uint32(1), name: string(2) });
const value = message({ value: uint32(1) });

export const conditions = message({
  prefixSet: nested(1, matchSet),
  neighborSet: nested(2, matchSet),
  asPathLength: nested(3, message({ type: uint32(1), length: uint32(2) })),
  asPathSet: nested(4, matchSet),
  communitySet: nested(5, matchSet),
  extCommunitySet: nested(6, matchSet),
  routeType: uint32(8),
  largeCommunitySet: nested(9, matchSet),
  nextHopInList: strings(10),
  afiSafiIn: repeated(11, family),
  communityCount: nested(12, message({ type: uint32(1), count: uint32(2) })),
  origin: uint32(13),
  localPrefEq: nested(14, value),
  medEq: nested(15, value),
});

const communityAction = message({ type: uint32(1), communities: strings(2) });

export const actions = message({
  routeAction: uint32(1),
  community: nested(2, communityAction),
  med: nested(3, message({ type: uint32(1), value: int64(2) })),
  asPrepend: nested(4, message({ asn: uint32(1), repeat: uint32(2), useLeftMost: bool(3) })),
  extCommunity: nested(5, communityAction),
  nexthop: nested(
    6,
    message({ address: string(1), self: bool(2), unchanged: bool(3), peerAddress: bool(4) }),
  ),
  localPref: nested(7, value),
  largeCommunity: nested(8, communityAction),
  originAction: nested(9, message({ origin: uint32(1) })),
});

export const policy = message({
  name: string(1),
  statements: repeated(
    2,
    message({ name: string(1), conditions: nested(2, conditions), actions: nested(3, actions) }),
  ),
});

export const policyAssignment = message({
  name: string(1),
  direction: uint32(2),
  policies: repeated(4, policy),
  defaultAction: uint32(5),
});
