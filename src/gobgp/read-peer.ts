/** A neighbour as the daemon describes it → our words. */

import { bfdStates, type PeerReading, sessionStates } from '../model/speaker.ts';
import type { ValueOf } from '../runtime/protobuf.ts';
import type { peer } from './api-peers.ts';
import { encodeFamily, families } from './encode-peer.ts';

type PeerMessage = ValueOf<typeof peer>;

const disconnectReasons = [
  '',
  'administratively down',
  'hold timer expired',
  'notification sent',
  'notification received',
  'connection lost while reading',
  'connection lost while writing',
  'idle timer expired',
  'restart timer expired',
  'graceful restart',
  'invalid message',
  'hard reset',
  'removed from the configuration',
  'wrong autonomous system number',
];

const adminDown = 2;

export function readPeer(message: PeerMessage): PeerReading {
  const { conf, state } = message;
  const link = conf?.neighborInterface ?? '';
  const address = state?.neighborAddress || conf?.neighborAddress || '';
  return {
    peer: link === '' ? { kind: 'address', address } : { kind: 'link', link },
    address,
    group: conf?.peerGroup ?? '',
    description: conf?.description ?? '',
    ...readNumbers(message),
    isDown: conf?.adminDown === true || state?.adminState === adminDown,
    ...readSession(message),
    ...countRoutes(message),
    routerId: state?.routerId ?? '',
    families: families.filter((family) => speaks(message, encodeFamily(family).afi)),
    bfd: readBfd(message),
  };
}

function readNumbers({ conf, state }: PeerMessage): Pick<PeerReading, 'peerAsn' | 'localAsn'> {
  return {
    peerAsn: state?.peerAsn || conf?.peerAsn || 0,
    localAsn: state?.localAsn || conf?.localAsn || 0,
  };
}

function readSession(message: PeerMessage): Pick<PeerReading, 'state' | 'upSince' | 'lastError'> {
  const { state: reading, timers } = message;
  const state = sessionStates[reading?.sessionState ?? 0] ?? 'Unknown';
  if (state !== 'Established') {
    const reason = disconnectReasons[reading?.disconnectReason ?? 0] ?? '';
    return { state, upSince: undefined, lastError: reading?.disconnectMessage || reason };
  }
  const seconds = timers?.state?.uptime?.seconds ?? 0;
  return { state, upSince: seconds > 0 ? seconds * 1000 : undefined, lastError: '' };
}

function countRoutes({
  afiSafis,
}: PeerMessage): Pick<PeerReading, 'received' | 'accepted' | 'advertised'> {
  const states = afiSafis.flatMap(({ state }) => state ?? []);
  return {
    received: states.reduce((sum, { received }) => sum + received, 0),
    accepted: states.reduce((sum, { accepted }) => sum + accepted, 0),
    advertised: states.reduce((sum, { advertised }) => sum + advertised, 0),
  };
}

function speaks({ afiSafis }: PeerMessage, afi: number): boolean {
  return afiSafis.some(({ config }) => config?.enabled === true && config.family?.afi === afi);
}

function readBfd({ bfd, state }: PeerMessage): PeerReading['bfd'] {
  if (bfd?.enabled !== true) return undefined;
  const found = state?.bfdState;
  return {
    state: bfdStates[found?.sessionState ?? 0] ?? 'Unknown',
    remoteState: bfdStates[found?.remoteSessionState ?? 0] ?? 'Unknown',
    failures: found?.failureTransitions ?? 0,
  };
}
