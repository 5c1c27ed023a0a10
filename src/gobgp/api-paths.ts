/** Messages of GoBGP's API (version 4) about routes, as far as we use them. */

import {
  bool,
  message,
  nested,
  repeated,
  string,
  strings,
  uint32,
  uint32s,
} from '../runtime/protobuf.ts';
import { family } from './api-peers.ts';

const nlri = message({ prefix: nested(1, message({ prefixLen: uint32(1), prefix: string(2) })) });

const largeCommunity = message({
  globalAdmin: uint32(1),
  localData1: uint32(2),
  localData2: uint32(3),
});

/** One of these is set. */
export const attribute = message({
  origin: nested(2, message({ origin: uint32(1) })),
  asPath: nested(
    3,
    message({ segments: repeated(1, message({ type: uint32(1), numbers: uint32s(2) })) }),
  ),
  nextHop: nested(4, message({ nextHop: string(1) })),
  multiExitDisc: nested(5, message({ med: uint32(1) })),
  localPref: nested(6, message({ localPref: uint32(1) })),
  communities: nested(9, message({ communities: uint32s(1) })),
  mpReach: nested(
    12,
    message({ family: nested(1, family), nextHops: strings(2), nlris: repeated(3, nlri) }),
  ),
  largeCommunities: nested(21, message({ communities: repeated(1, largeCommunity) })),
});

export const path = message({
  nlri: nested(1, nlri),
  pattrs: repeated(2, attribute),
  best: bool(4),
  isWithdraw: bool(5),
  family: nested(9, family),
  sourceAsn: uint32(10),
  sourceId: string(11),
  stale: bool(13),
  neighborIp: string(15),
});

export const destination = message({ prefix: string(1), paths: repeated(2, path) });
