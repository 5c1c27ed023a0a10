/** Neighbours and peer groups of a BGPConfiguration. */

import type { BgpNeighbor, BgpPassword, BgpPeerGroup, BgpSession } from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { parseIp } from './ip.ts';
import { readLabelSelector } from './label-selector.ts';
import { isProblem, type Parsed, problem } from './parsed.ts';
import {
  largestAsn,
  readGracefulRestart,
  readPolicies,
  readWord,
  warnInert,
} from './read-bgp-parts.ts';
import {
  readBfd,
  readFamilySettings,
  readLeastTtl,
  readMultihopTtl,
  readTimers,
  readTransport,
} from './read-bgp-transport.ts';

export function readNeighbor(cursor: Cursor): BgpNeighbor {
  const { config, routeReflector } = cursor.fields('config', 'routeReflector');
  const at = config.required().fields('peerGroup', 'adminDown', 'vrf', 'peerAsn');
  const neighbor: BgpNeighbor = {
    ...readSession(cursor, config),
    peer: readPeer(config),
    peerGroup: at.peerGroup.string() || undefined,
    isDown: at.adminDown.boolean() ?? false,
    vrf: at.vrf.string() || undefined,
    routeReflector: readRouteReflector(routeReflector),
  };
  const { peer, bfd, peerAsn, peerGroup } = neighbor;
  if (peerAsn === undefined && peerGroup === undefined) at.peerAsn.required();
  const isLinkLocal = peer.kind === 'address' && /^fe[89ab]/.test(peer.ip);
  if (isLinkLocal && peer.zone === undefined && bfd?.isEnabled === true) {
    config.refuse('BFD with a link-local neighborAddress needs its zone, such as fe80::1%eth0');
  }
  return neighbor;
}

export function readPeerGroup(cursor: Cursor): BgpPeerGroup {
  const { config } = cursor.fields('config');
  const { peerGroupName } = config.required().fields('peerGroupName');
  return { ...readSession(cursor, config), name: peerGroupName.required().string() ?? '' };
}

function readSession(cursor: Cursor, config: Cursor): BgpSession {
  const at = cursor.fields(
    'nodeSelector',
    'afiSafis',
    'applyPolicy',
    'timers',
    'transport',
    'gracefulRestart',
    'ebgpMultihop',
    'ttlSecurity',
    'bfd',
  );
  const session: BgpSession = {
    nodeSelector: readLabelSelector(at.nodeSelector),
    ...readSessionConfig(config),
    families: at.afiSafis.isPresent ? at.afiSafis.items().flatMap(readFamilySettings) : undefined,
    policy: readPolicies(at.applyPolicy),
    timers: readTimers(at.timers),
    transport: readTransport(at.transport),
    gracefulRestart: readGracefulRestart(at.gracefulRestart),
    multihopTtl: readMultihopTtl(at.ebgpMultihop),
    leastTtl: readLeastTtl(at.ttlSecurity),
    bfd: readBfd(at.bfd),
  };
  if (session.multihopTtl !== undefined && session.leastTtl !== undefined) {
    at.ttlSecurity.refuse('does not go with ebgpMultihop: give ttlMin 256 minus the hops instead');
  }
  return session;
}

type ConfigPart =
  | 'description'
  | 'peerAsn'
  | 'localAsn'
  | 'password'
  | 'allowOwnAsn'
  | 'replacePeerAsn'
  | 'allowAspathLoopLocal'
  | 'sendCommunity'
  | 'removePrivate'
  | 'sendSoftwareVersion';

function readSessionConfig(config: Cursor): Pick<BgpSession, ConfigPart> {
  const at = config.fields(
    'description',
    'peerAsn',
    'localAsn',
    'allowOwnAsn',
    'replacePeerAsn',
    'allowAspathLoopLocal',
    'sendCommunity',
    'removePrivate',
    'sendSoftwareVersion',
  );
  warnInert(config.fields('routeFlapDamping'));
  return {
    description: at.description.string(),
    peerAsn: at.peerAsn.integer({ min: 0, max: largestAsn }) || undefined,
    localAsn: at.localAsn.integer({ min: 0, max: largestAsn }) || undefined,
    password: readPassword(config),
    allowOwnAsn: at.allowOwnAsn.integer({ min: 0, max: 255 }),
    replacePeerAsn: at.replacePeerAsn.boolean(),
    allowAspathLoopLocal: at.allowAspathLoopLocal.boolean(),
    sendCommunity: readWord(at.sendCommunity, ['standard', 'extended', 'both', 'none']),
    removePrivate: readWord(at.removePrivate, ['all', 'replace']),
    sendSoftwareVersion: at.sendSoftwareVersion.boolean(),
  };
}

/** The interface wins where both are given, as upstream has it. */
function readPeer(config: Cursor): BgpNeighbor['peer'] {
  const { neighborAddress, neighborInterface } = config.fields(
    'neighborAddress',
    'neighborInterface',
  );
  const link = neighborInterface.string() ?? '';
  if (link !== '') return { kind: 'link', link };
  if ((neighborAddress.string() ?? '') === '') {
    config.refuse('give neighborAddress, or neighborInterface for unnumbered peering');
  }
  return neighborAddress.parse(parsePeerAddress) ?? { kind: 'link', link: '' };
}

/** An address that may carry its zone: `fe80::1%eth0`. */
function parsePeerAddress(text: string, path: string): Parsed<BgpNeighbor['peer']> {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? undefined : text.slice(percent + 1);
  const ip = parseIp(percent < 0 ? text : text.slice(0, percent), path);
  if (isProblem(ip)) return ip;
  if (zone === '') return problem(path, 'name the link after "%", such as fe80::1%eth0');
  return { value: { kind: 'address', ip: ip.value, zone } };
}

/** A reference to a Secret wins over a password in plain sight. */
function readPassword(config: Cursor): BgpPassword | undefined {
  const at = config.fields('authPassword', 'authPasswordSecretRef');
  const text = at.authPassword.string() ?? '';
  if (text !== '') at.authPassword.warn('stands in plain sight: use authPasswordSecretRef');
  if (at.authPasswordSecretRef.isPresent) {
    const { name, key, optional } = at.authPasswordSecretRef.fields('name', 'key', 'optional');
    return {
      kind: 'secret',
      name: name.required().string() ?? '',
      key: key.required().string() ?? '',
      isOptional: optional.boolean() ?? false,
    };
  }
  return text === '' ? undefined : { kind: 'inline', text };
}

function readRouteReflector(cursor: Cursor): BgpNeighbor['routeReflector'] {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('routeReflectorClient', 'routeReflectorClusterId');
  return {
    isClient: at.routeReflectorClient.required().boolean() ?? false,
    clusterId: at.routeReflectorClusterId.required().string() ?? '',
  };
}
