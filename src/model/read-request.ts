/** What people ask for a Service, by annotation and by the deprecated `spec.loadBalancerIP`. */

import { parseAddresses, parseMoves } from './address-lists.ts';
import { endpointAffinity, requestAnnotations as names } from './annotations.ts';
import type { Cursor } from './cursor.ts';
import type { AddressRequest } from './load-balancer.ts';
import { isProblem, problemsOf } from './parsed.ts';

export function readRequest(annotations: Cursor, spec: Cursor): AddressRequest {
  const at = annotations.fields(...Object.values(names));
  const multiPool = at[names.multiPool];
  const wish = readWish(at[names.addresses], spec.fields('loadBalancerIP').loadBalancerIP);
  const moves = at[names.move].apart((cursor) => cursor.parse(parseMoves) ?? []);
  return {
    group: at[names.serviceGroup].string(),
    addresses: wish.addresses,
    addressesFrom: wish.addressesFrom,
    sharingKey: at[names.sharingKey].string() || undefined,
    multiPool: multiPool.isPresent ? multiPool.string() === 'true' : undefined,
    allowsLocal: at[names.allowLocal].isPresent,
    prefersEndpoints: at[names.nodeAffinity].oneOf([endpointAffinity]) !== undefined,
    wantsReEvaluation: at[names.reEvaluate].string() === 'true',
    moves: isProblem(moves) ? [] : moves.value,
    problems: [...wish.problems, ...problemsOf(moves)],
  };
}

/** The annotation counts where it is present, else the field. */
function readWish(
  annotation: Cursor,
  field: Cursor,
): Pick<AddressRequest, 'addresses' | 'addressesFrom' | 'problems'> {
  const [wish, source] = annotation.isPresent
    ? ([annotation, 'annotation'] as const)
    : ([field, 'spec'] as const);
  const addresses = wish.apart((cursor) => cursor.parse(parseAddresses) ?? []);
  if (isProblem(addresses)) {
    return { addresses: [], addressesFrom: source, problems: addresses.problems };
  }
  const isAsked = addresses.value.length > 0;
  if (annotation.isPresent && !isAsked) annotation.warn('is empty and asks for nothing: remove it');
  return {
    addresses: addresses.value,
    addressesFrom: isAsked || annotation.isPresent ? source : undefined,
    problems: [],
  };
}
