/** Remote addresses: on the virtual link of every node, or of those with endpoints. */

import type { LocalConfig } from '../../model/agent-config.ts';
import { addressBits, familyOf } from '../../model/ip.ts';
import { formatPrefix, networkOf, type Prefix } from '../../model/prefix.ts';
import { type AddressCase, absent, leave, type Verdict } from './address-decision.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { findCaptured } from './protected-prefixes.ts';
import { isServedHere } from './service-needs.ts';

/** Whether routers have been told. */
const lookAgainMs = 100;

export function placeRemote(
  address: AddressCase,
  snapshot: NodeSnapshot,
  config: LocalConfig,
): Verdict {
  if (isExcluded(snapshot)) {
    if (!snapshot.areRoutesLeaving) return absent('nodeExcluded');
    return { ...leave('routesLeaving'), wakeAt: snapshot.now + lookAgainMs };
  }
  const isServed = isServedHere(address, snapshot);
  if (isServed === undefined) return leave('endpointsUnknown');
  if (!isServed) return absent('noEndpoints');
  const { ip, terms } = address;
  const wide = { ip, length: findLength(address, config) ?? terms.prefixLength };
  const captured = findCaptured(wide, snapshot.protectedPrefixes);
  const prefix = captured === undefined ? wide : { ip, length: addressBits[familyOf(ip)] };
  const { validSeconds, preferredSeconds, noPrefixRoute } = config.dummyLifetime;
  return {
    outcome: {
      kind: 'remote',
      wanted: {
        link: config.dummyLink,
        ip,
        prefixLength: prefix.length,
        validSeconds,
        preferredSeconds,
        noPrefixRoute: noPrefixRoute || captured !== undefined,
        // There are no neighbours on that link to ask.
        noDad: true,
      },
    },
    reason: 'announcingNonLocal',
    ...(captured && { findings: [unsafe(wide, captured.what)] }),
  };
}

/** Of an address whose group was deleted or edited since: the routes that others learnt stay as they are. */
function findLength({ terms, held }: AddressCase, { dummyLink }: LocalConfig): number | undefined {
  if (terms.isPrefixKnown) return undefined;
  return held.find(({ link }) => link === dummyLink)?.prefixLength;
}

function unsafe(prefix: Prefix, what: string) {
  return { kind: 'aggregationUnsafe', prefix: formatPrefix(networkOf(prefix)), what } as const;
}

function isExcluded({ electorate, node }: NodeSnapshot): boolean {
  const bar = electorate.electors.find((elector) => elector.node === node)?.bar;
  return bar === 'excludedByLabel' || bar === 'beingRemoved' || bar === 'nodeGone';
}
