/** Messages of GoBGP's API (version 4) about the speaker and its neighbours, as far as we use them. */

import {
  bool,
  int32,
  message,
  nested,
  repeated,
  string,
  strings,
  uint32,
  uint32s,
  uint64,
} from '../runtime/protobuf.ts';

export const family = message({ afi: uint32(1), safi: uint32(2) });

const gracefulRestart = message({
  enabled: bool(1),
  restartTime: uint32(2),
  helperOnly: bool(3),
  deferralTime: uint32(4),
  localRestarting: bool(10),
});

export const global = message({
  asn: uint32(1),
  routerId: string(2),
  listenPort: int32(3),
  listenAddresses: strings(4),
  families: uint32s(5),
  useMultiplePaths: bool(6),
  routeSelectionOptions: nested(
    7,
    message({
      alwaysCompareMed: bool(1),
      ignoreAsPathLength: bool(2),
      externalCompareRouterId: bool(3),
      disableBestPathSelection: bool(7),
    }),
  ),
  gracefulRestart: nested(10, gracefulRestart),
  bindToDevice: string(11),
});

const timestamp = message({ seconds: uint64(1), nanos: uint32(2) });

const peerConf = message({
  authPassword: string(1),
  description: string(2),
  localAsn: uint32(3),
  neighborAddress: string(4),
  peerAsn: uint32(5),
  peerGroup: string(6),
  removePrivate: uint32(8),
  neighborInterface: string(11),
  allowOwnAsn: uint32(13),
  replacePeerAsn: bool(14),
  adminDown: bool(15),
  sendSoftwareVersion: bool(16),
  allowAspathLoopLocal: bool(17),
});

const peerGroupConf = message({
  authPassword: string(1),
  description: string(2),
  localAsn: uint32(3),
  peerAsn: uint32(4),
  peerGroupName: string(5),
  removePrivate: uint32(7),
  sendSoftwareVersion: bool(10),
  allowOwnAsn: uint32(11),
  replacePeerAsn: bool(12),
  allowAspathLoopLocal: bool(13),
});

const bfdState = message({
  sessionState: uint32(1),
  remoteSessionState: uint32(2),
  failureTransitions: uint64(4),
});

const peerState = message({
  localAsn: uint32(3),
  neighborAddress: string(5),
  peerAsn: uint32(6),
  sessionState: uint32(13),
  adminState: uint32(15),
  routerId: string(20),
  disconnectReason: uint32(21),
  disconnectMessage: string(22),
  bfdState: nested(23, bfdState),
});

const timers = message({
  config: nested(
    1,
    message({
      connectRetry: uint64(1),
      holdTime: uint64(2),
      keepaliveInterval: uint64(3),
      idleHoldTimeAfterReset: uint64(5),
    }),
  ),
  state: nested(2, message({ negotiatedHoldTime: uint64(5), uptime: nested(6, timestamp) })),
});

const transport = message({
  localAddress: string(1),
  passiveMode: bool(4),
  remotePort: uint32(6),
  bindInterface: string(8),
  ipTos: uint32(9),
});

const afiSafi = message({
  mpGracefulRestart: nested(1, message({ config: nested(1, message({ enabled: bool(1) })) })),
  config: nested(2, message({ family: nested(1, family), enabled: bool(2) })),
  state: nested(3, message({ received: uint64(3), accepted: uint64(4), advertised: uint64(5) })),
  prefixLimits: nested(
    7,
    message({ family: nested(1, family), maxPrefixes: uint32(2), shutdownThresholdPct: uint32(3) }),
  ),
  addPaths: nested(
    10,
    message({ config: nested(1, message({ receive: bool(1), sendMax: uint32(2) })) }),
  ),
});

const bfd = message({
  enabled: bool(1),
  port: uint32(2),
  desiredMinimumTxInterval: uint32(3),
  requiredMinimumReceive: uint32(4),
  detectionMultiplier: uint32(5),
});

const ebgpMultihop = message({ enabled: bool(1), multihopTtl: uint32(2) });
const ttlSecurity = message({ enabled: bool(1), ttlMin: uint32(2) });
const routeReflector = message({
  routeReflectorClient: bool(1),
  routeReflectorClusterId: string(2),
});

export const peer = message({
  conf: nested(2, peerConf),
  ebgpMultihop: nested(3, ebgpMultihop),
  routeReflector: nested(4, routeReflector),
  state: nested(5, peerState),
  timers: nested(6, timers),
  transport: nested(7, transport),
  gracefulRestart: nested(9, gracefulRestart),
  afiSafis: repeated(10, afiSafi),
  ttlSecurity: nested(11, ttlSecurity),
  bfd: nested(12, bfd),
});

export const peerGroup = message({
  conf: nested(2, peerGroupConf),
  ebgpMultihop: nested(3, ebgpMultihop),
  timers: nested(6, timers),
  transport: nested(7, transport),
  gracefulRestart: nested(9, gracefulRestart),
  afiSafis: repeated(10, afiSafi),
  ttlSecurity: nested(11, ttlSecurity),
  bfd: nested(12, bfd),
});

export const dynamicNeighbor = message({ prefix: string(1), peerGroup: string(2) });
