/** What a configuration asks for that is not carried out. It is refused by name: nothing is taken and then ignored. */

import type { BgpConfig, BgpSession } from '../../model/bgp-config.ts';
import type { Problem } from '../../model/parsed.ts';

const noVrf = 'VRFs are not carried out: remove it';

export function findUnsupported(config: BgpConfig): readonly Problem[] {
  const { vrfs, neighbors, peerGroups, netlinkImport, netlinkExport, dynamicNeighbors } = config;
  return [
    ...vrfs.map((_, index) => ({ path: `spec.vrfs[${index}]`, message: noVrf })),
    ...(netlinkImport.vrf === undefined
      ? []
      : [{ path: 'spec.netlinkImport.vrf', message: noVrf }]),
    ...netlinkExport.rules.flatMap(({ vrf }, index) =>
      vrf === undefined
        ? []
        : [
            {
              path: `spec.netlinkExport.rules[${index}].vrf`,
              message: 'VRFs are not carried out: write its routing table as tableId',
            },
          ],
    ),
    ...neighbors.flatMap(({ vrf }, index) =>
      vrf === undefined ? [] : [{ path: `spec.neighbors[${index}].config.vrf`, message: noVrf }],
    ),
    ...neighbors.flatMap((each, index) => inSession(each, `spec.neighbors[${index}]`)),
    ...peerGroups.flatMap((each, index) => inSession(each, `spec.peerGroups[${index}]`)),
    ...(dynamicNeighbors.length > 0 && config.global.listenPort < 0
      ? [
          {
            path: 'spec.dynamicNeighbors',
            message: 'nobody can connect without listening: remove global.listenPort -1',
          },
        ]
      : []),
  ];
}

/** The daemon sends all communities, whatever it is told. */
function inSession({ sendCommunity }: BgpSession, path: string): readonly Problem[] {
  if (sendCommunity === undefined || sendCommunity === 'both') return [];
  const message =
    'is not carried out, all communities are sent: remove it, and remove communities by a policy';
  return [{ path: `${path}.config.sendCommunity`, message }];
}
