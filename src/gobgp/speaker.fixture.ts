/** Wishes for tests, each small enough to read. */

import {
  anyRoute,
  noActions,
  type PolicyActions,
  type PolicyConditions,
  type PolicyStatement,
} from '../model/bgp-config.ts';
import { type BgpPath, plainRoute } from '../model/bgp-path.ts';
import { familyOf, ipOf } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import type {
  PeerWish,
  SpeakerChange,
  SpeakerIdentity,
  SpeakerPolicies,
} from '../model/speaker.ts';

export const identity: SpeakerIdentity = {
  asn: 64_500,
  routerId: ipOf('192.0.2.11'),
  listenPort: -1,
  listenAddresses: [],
  usesMultiplePaths: false,
  routeSelection: {
    alwaysCompareMed: false,
    ignoreAsPathLength: false,
    externalCompareRouterId: false,
    disableBestPathSelection: false,
  },
  bindToDevice: undefined,
};

export function peerWish(address: string, changes: Partial<PeerWish> = {}): PeerWish {
  return {
    peer: { kind: 'address', address },
    description: '',
    peerAsn: 64_501,
    localAsn: undefined,
    password: undefined,
    allowOwnAsn: 0,
    replacePeerAsn: false,
    allowAspathLoopLocal: false,
    removePrivate: undefined,
    sendSoftwareVersion: false,
    families: (['ipv4-unicast', 'ipv6-unicast'] as const).map((family) => ({
      family,
      isEnabled: true,
      prefixLimit: undefined,
      addPaths: undefined,
    })),
    timers: { connectRetry: 1, holdTime: 9, keepalive: 3 },
    transport: undefined,
    gracefulRestart: undefined,
    multihopTtl: undefined,
    leastTtl: undefined,
    bfd: undefined,
    fingerprint: '',
    isDown: false,
    routeReflector: undefined,
    ...changes,
  };
}

export function statement(
  name: string,
  conditions: Partial<PolicyConditions>,
  actions: Partial<PolicyActions> = {},
): PolicyStatement {
  return {
    name,
    conditions: { ...anyRoute, ...conditions },
    actions: { ...noActions, route: 'accept', ...actions },
  };
}

/** Takes in our own routes and sends them to everyone. */
export function policiesNamed(
  name: string,
  changes: Partial<SpeakerPolicies> = {},
): SpeakerPolicies {
  return {
    sets: [],
    import: {
      name: `in-${name}`,
      statements: [statement(`in-${name}-own`, { routeType: 'local' })],
      defaultAction: 'reject',
    },
    export: { name: `out-${name}`, statements: [], defaultAction: 'accept' },
    ...changes,
  };
}

export function pathTo(
  text: string,
  communities: readonly string[] = [],
  more: Partial<BgpPath> = {},
): BgpPath {
  const prefix = prefixOf(text);
  const self = familyOf(prefix.ip) === 'ipv4' ? '0.0.0.0' : '::';
  return { ...plainRoute, prefix, nextHop: ipOf(self), communities, ...more };
}

export const start: SpeakerChange = { kind: 'start', identity };
export const setPolicies = (name: string): SpeakerChange => ({
  kind: 'set-policies',
  policies: policiesNamed(name),
});
export const addPeer = (address: string): SpeakerChange => ({
  kind: 'add-peer',
  peer: peerWish(address),
  isRestarting: false,
});
export const router = '198.51.100.1';
