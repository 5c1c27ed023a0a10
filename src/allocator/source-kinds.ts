/** A pool → the source that its addresses come from. */

import { type AddressSource, failure } from '../ipam/address-source.ts';
import type { Pool } from '../model/pool.ts';

export interface SourceContext {
  /** What tells this cluster from others; undefined while that is not known. */
  readonly clusterUid: () => string | undefined;
}

/** Where only ranges of our own can be used. */
export function openNone(_pool: Pool): AddressSource {
  const none = failure('invalid', 'is not available here: only ranges given in ServiceGroups are');
  const say = () => Promise.resolve(none);
  return { find: say, allocate: say, release: say, stats: say, check: say, close: () => {} };
}
