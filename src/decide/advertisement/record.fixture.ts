/** A pass in which everything went well, and variations of it. */

import { plainRoute } from '../../model/bgp-path.ts';
import { ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { newDaemon, type PeerReading, type SpeakerState } from '../../model/speaker.ts';
import { kubeLb0 } from '../announcement/snapshot.fixture.ts';
import { offerOf, router, sessionsOf } from './advertisement.fixture.ts';
import type { BgpRecord } from './bgp-record.ts';
import { chooseBgpConfig } from './choose-bgp-config.ts';

export function peer(more: Partial<PeerReading> = {}): PeerReading {
  return {
    peer: { kind: 'address', address: '198.51.100.1' },
    address: '198.51.100.1',
    group: '',
    description: '',
    peerAsn: 64_501,
    localAsn: 64_500,
    isDown: false,
    state: 'Established',
    upSince: Date.parse('2026-06-01T12:00:00Z'),
    routerId: '198.51.100.1',
    received: 0,
    accepted: 0,
    advertised: 1,
    families: ['ipv4-unicast'],
    lastError: '',
    bfd: undefined,
    ...more,
  };
}

export function recordOf(
  more: Partial<BgpRecord> = {},
  state: Partial<SpeakerState> = {},
): BgpRecord {
  const spec = { neighbors: [router()] };
  const prefix = prefixOf('203.0.113.0/24');
  return {
    choice: chooseBgpConfig([offerOf(spec)]),
    routerId: { ip: ipOf('192.0.2.11'), source: 'node-ipv4' },
    notes: [],
    refusals: [],
    sessions: sessionsOf(spec),
    links: [kubeLb0],
    imported: [{ address: '203.0.113.7/24', link: 'kube-lb0', prefix, reason: 'advertised' }],
    state: {
      ...newDaemon,
      identity: { asn: 64_500, routerId: '192.0.2.11', listenPort: 179 },
      peers: [peer()],
      paths: [{ ...plainRoute, prefix, nextHop: ipOf('0.0.0.0') }],
      ...state,
    },
    learnt: [],
    installed: [],
    failures: [],
    needsRestart: [],
    ...more,
  };
}
