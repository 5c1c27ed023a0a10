/** Neighbours and peer groups → messages of GoBGP's API. */

import type { BgpFamily, FamilySettings } from '../model/bgp-config.ts';
import type { GroupWish, PeerWish, SessionWish, SpeakerIdentity } from '../model/speaker.ts';
import type { InputOf } from '../runtime/protobuf.ts';
import type { global, peer, peerGroup } from './api-peers.ts';

const afi = { 'ipv4-unicast': 1, 'ipv6-unicast': 2 } as const satisfies Record<BgpFamily, number>;
const unicast = 1;

export function encodeFamily(family: BgpFamily) {
  return { afi: afi[family], safi: unicast };
}

export const families = Object.keys(afi) as readonly BgpFamily[];

export function encodeIdentity(identity: SpeakerIdentity): InputOf<typeof global> {
  const { asn, routerId, listenPort, listenAddresses, routeSelection } = identity;
  return {
    asn,
    routerId,
    listenPort,
    listenAddresses,
    useMultiplePaths: identity.usesMultiplePaths,
    routeSelectionOptions: routeSelection,
    bindToDevice: identity.bindToDevice,
  };
}

/** Retries are quick: a router that comes back is a way back for traffic, and one session costs nothing. */
const connectRetrySeconds = 5;
const idleHoldSeconds = 2;
/** After a restart the daemon waits so long for the routes of all routers, one that is dead included; 360 by default. */
const deferralSeconds = 1;

export function encodePeer(wish: PeerWish, isRestarting: boolean): InputOf<typeof peer> {
  const { peer: name, routeReflector } = wish;
  return {
    conf: {
      ...encodeConf(wish),
      neighborAddress: name.kind === 'address' ? name.address : undefined,
      neighborInterface: name.kind === 'link' ? name.link : undefined,
      adminDown: wish.isDown,
    },
    ...encodeSession(wish, isRestarting),
    ...(routeReflector !== undefined && {
      routeReflector: {
        routeReflectorClient: routeReflector.isClient,
        routeReflectorClusterId: routeReflector.clusterId,
      },
    }),
  };
}

export function encodeGroup(wish: GroupWish): InputOf<typeof peerGroup> {
  return {
    conf: { ...encodeConf(wish), peerGroupName: wish.name },
    ...encodeSession(wish, false),
  };
}

function encodeConf(wish: SessionWish) {
  const { removePrivate } = wish;
  return {
    authPassword: wish.password,
    description: wish.description,
    localAsn: wish.localAsn,
    peerAsn: wish.peerAsn,
    removePrivate: removePrivate === undefined ? 0 : { all: 1, replace: 2 }[removePrivate],
    allowOwnAsn: wish.allowOwnAsn,
    replacePeerAsn: wish.replacePeerAsn,
    allowAspathLoopLocal: wish.allowAspathLoopLocal,
    sendSoftwareVersion: wish.sendSoftwareVersion,
  };
}

function encodeSession(wish: SessionWish, isRestarting: boolean) {
  const { timers, transport, multihopTtl, leastTtl, bfd, gracefulRestart } = wish;
  const isGraceful = gracefulRestart?.isEnabled === true;
  return {
    timers: {
      config: {
        connectRetry: timers.connectRetry ?? connectRetrySeconds,
        holdTime: timers.holdTime,
        keepaliveInterval: timers.keepalive,
        idleHoldTimeAfterReset: idleHoldSeconds,
      },
    },
    transport: {
      localAddress: transport?.localAddress,
      passiveMode: transport?.isPassive,
      bindInterface: transport?.bindInterface,
      ipTos: transport?.ipTos,
    },
    ebgpMultihop: multihopTtl === undefined ? undefined : { enabled: true, multihopTtl },
    ttlSecurity: leastTtl === undefined ? undefined : { enabled: true, ttlMin: leastTtl },
    gracefulRestart: isGraceful
      ? {
          enabled: true,
          restartTime: gracefulRestart.restartSeconds,
          helperOnly: gracefulRestart.isHelperOnly,
          deferralTime: deferralSeconds,
          localRestarting: isRestarting && !gracefulRestart.isHelperOnly,
        }
      : undefined,
    afiSafis: wish.families
      .filter(({ isEnabled }) => isEnabled)
      .map((family) => encodeFamilySettings(family, isGraceful)),
    bfd:
      bfd?.isEnabled === true
        ? {
            enabled: true,
            port: bfd.port,
            desiredMinimumTxInterval: bfd.transmitMicroseconds,
            requiredMinimumReceive: bfd.receiveMicroseconds,
            detectionMultiplier: bfd.multiplier,
          }
        : undefined,
  };
}

/** Graceful restart must be said for each family as well: without it an empty list of families is advertised. */
function encodeFamilySettings(settings: FamilySettings, isGraceful: boolean) {
  const { prefixLimit, addPaths } = settings;
  const family = encodeFamily(settings.family);
  return {
    config: { family, enabled: true },
    mpGracefulRestart: isGraceful ? { config: { enabled: true } } : undefined,
    prefixLimits:
      prefixLimit === undefined
        ? undefined
        : {
            family,
            maxPrefixes: prefixLimit.maxPrefixes,
            shutdownThresholdPct: prefixLimit.warnAtPercent,
          },
    addPaths:
      addPaths === undefined
        ? undefined
        : { config: { receive: addPaths.receives, sendMax: addPaths.sendMax } },
  };
}
