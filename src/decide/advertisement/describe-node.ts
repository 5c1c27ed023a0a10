/** The status of a BGPNodeStatus: one node's sessions, routes and health, for people and tools. */

import { formatPrefix } from '../../model/prefix.ts';
import { type PeerReading, peerKey } from '../../model/speaker.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import type { BgpRecord } from './bgp-record.ts';
import { matchesGlob } from './matches-glob.ts';
import type { InstalledRoute } from './plan-routes.ts';

const most = { local: 500, received: 100, exported: 500, imported: 500 } as const;

export interface NodeVerdict {
  readonly isHealthy: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface NodeDescription {
  /** All but the conditions and when it was written. */
  readonly status: Readonly<Record<string, unknown>>;
  readonly verdict: NodeVerdict;
}

export function describeNode(node: string, record: BgpRecord): NodeDescription {
  const { state, routerId, choice } = record;
  const verdict = judgeNode(record);
  const configured = [
    ...(record.sessions?.peers.map(({ wish }) => wish.peer) ?? []),
    ...(record.sessions?.held ?? []),
  ];
  return {
    verdict,
    status: {
      nodeName: node,
      routerID: routerId?.ip ?? null,
      routerIDSource: routerId?.source ?? null,
      asn: state?.identity?.asn ?? choice.config?.global.asn ?? null,
      heartbeatSeconds: choice.config?.global.nodeStatus.heartbeatSeconds ?? null,
      neighborCount: Math.max(configured.length, state?.peers.length ?? 0),
      neighbors: (state?.peers ?? []).map((peer) => describePeer(peer, record)),
      netlinkImport: describeImport(record),
      rib: describeRib(record),
      netlinkExport: describeExport(record),
      healthy: verdict.isHealthy,
    },
  };
}

function describePeer(peer: PeerReading, { sessions }: BgpRecord) {
  const key = peerKey(peer.peer);
  const known = sessions?.peers.find(({ wish }) => peerKey(wish.peer) === key);
  return {
    address: key,
    peerASN: peer.peerAsn,
    localASN: peer.localAsn,
    state: peer.state,
    ...(peer.upSince !== undefined && { sessionUpSince: formatTimestamp(peer.upSince) }),
    prefixesSent: peer.advertised,
    prefixesReceived: peer.received,
    ...(peer.description !== '' && { description: peer.description }),
    ...(peer.lastError !== '' && { lastError: peer.lastError }),
    ...(known !== undefined && known.inherited.length > 0 && { inheritedBlocks: known.inherited }),
    ...(peer.bfd !== undefined && {
      bfd: {
        state: peer.bfd.state,
        remoteState: peer.bfd.remoteState,
        failureTransitions: peer.bfd.failures,
      },
    }),
  };
}

function describeImport({ choice, links, imported, state }: BgpRecord) {
  const wanted = choice.config?.netlinkImport;
  if (wanted === undefined) return null;
  const inRib = new Set(state?.paths.map(({ prefix }) => formatPrefix(prefix)));
  const names = wanted.interfaces.flatMap((glob) => {
    const found = links.filter(({ name }) => matchesGlob(glob, name)).map(({ name }) => name);
    return found.length > 0 || /[*?[]/.test(glob) ? found : [glob];
  });
  return {
    enabled: wanted.isEnabled,
    interfaces: [...new Set(names)].map((name) => {
      const link = links.find((each) => each.name === name);
      return { name, exists: link !== undefined, operState: link?.isUp === true ? 'up' : 'down' };
    }),
    importedAddresses: imported.slice(0, most.imported).map(({ address, link, prefix }) => ({
      address,
      interface: link,
      inRIB: prefix !== undefined && inRib.has(formatPrefix(prefix)),
    })),
    totalImported: imported.length,
    truncated: imported.length > most.imported,
  };
}

function describeRib({ state, learnt }: BgpRecord) {
  if (state === undefined) return null;
  const { paths } = state;
  return {
    localRoutes: paths.slice(0, most.local).map(({ prefix, nextHop, communities }) => ({
      prefix: formatPrefix(prefix),
      nextHop,
      ...(communities.length > 0 && { communities }),
    })),
    localRouteCount: paths.length,
    receivedRoutes: learnt.slice(0, most.received).map((path) => ({
      prefix: formatPrefix(path.prefix),
      nextHop: path.nextHop,
      fromPeer: path.from,
      ...(path.communities.length > 0 && { communities: path.communities }),
    })),
    receivedRouteCount: learnt.length,
    truncated: paths.length > most.local || learnt.length > most.received,
  };
}

function describeExport({ choice, installed }: BgpRecord) {
  const wanted = choice.config?.netlinkExport;
  if (wanted === undefined || !wanted.isEnabled) return null;
  return {
    enabled: true,
    protocol: wanted.routeProtocol,
    rules: wanted.rules.map(({ name, metric, table }) => ({ name, metric, tableID: table })),
    exportedRoutes: installed.slice(0, most.exported).map(describeRoute),
    totalExported: installed.length,
    truncated: installed.length > most.exported,
  };
}

function describeRoute({ prefix, table, metric, route, reason }: InstalledRoute) {
  return {
    prefix: formatPrefix(prefix),
    table: table === 254 ? 'main' : String(table),
    metric,
    installed: route !== undefined,
    ...(route === undefined && { reason }),
  };
}

function judgeNode(record: BgpRecord): NodeVerdict {
  const { state, failures, choice, notes, needsRestart } = record;
  const [problem] = choice.problems;
  const [warning] = notes.filter(({ reason }) => reason === 'PeerNotConfigured');
  if (state === undefined) return degraded('DaemonUnreachable', failures[0] ?? 'no answer');
  if (problem !== undefined) {
    return degraded('ConfigurationInvalid', `${problem.path}: ${problem.message}`);
  }
  if (needsRestart.length > 0) {
    const words = `${needsRestart.join(', ')} changed: start gobgpd anew`;
    return degraded('GlobalRestartRequired', words);
  }
  if (failures[0] !== undefined) return degraded('Degraded', failures[0]);
  if (warning !== undefined) return degraded('Degraded', warning.message);
  const down = state.peers.filter((peer) => peer.state !== 'Established' && !peer.isDown);
  if (down.length > 0) {
    const names = down.map(({ peer }) => peerKey(peer)).join(', ');
    return degraded('Degraded', `no session with ${names}`);
  }
  const up = state.peers.filter((peer) => peer.state === 'Established').length;
  const routes = `${state.paths.length} route(s) advertised`;
  const message = `${up} neighbor(s) established, ${routes}`;
  return { isHealthy: true, reason: 'AllHealthy', message };
}

function degraded(reason: string, message: string): NodeVerdict {
  return { isHealthy: false, reason, message };
}
