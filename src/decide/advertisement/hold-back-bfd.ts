/** When BFD begins with a neighbour: once their session is up, and anew each time. */

import { type PeerReading, type PeerWish, peerKey } from '../../model/speaker.ts';

/**
 * Routers that know us only by our network (FRR's `bgp listen range`) begin BFD with the session, and begin again when
 * it is up. The daemon holds to the first discriminator that it heard (RFC 5880, 6.8.6) until it gives up, and takes the
 * session down with it: neither would ever get out of that. BFD is therefore switched on only with a session that is up,
 * and off while there is none; until then the hold time watches.
 */
export function holdBackBfd(
  peers: readonly PeerWish[],
  readings: readonly PeerReading[],
): readonly PeerWish[] {
  const up = new Set(
    readings.filter(({ state }) => state === 'Established').map(({ peer }) => peerKey(peer)),
  );
  return peers.map((wish) => {
    if (wish.bfd?.isEnabled !== true || up.has(peerKey(wish.peer))) return wish;
    return { ...wish, bfd: undefined, fingerprint: `${wish.fingerprint}-without-bfd` };
  });
}
