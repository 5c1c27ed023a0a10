/**
 * Histories of the usual campaign that still break a bound, with what is known of each. The campaign fails on any other
 * seed, and on one of these that no longer breaks a bound: then its line goes.
 */

export const knownViolations: ReadonlyMap<number, string> = new Map([
  [
    58,
    'a successor whose watches were stalled acts on a hand-over that its owner had given up: two owners for 1.9 s',
  ],
  [
    93,
    'three nodes meet again after a partition, two NICs on one segment: one yields after 5.9 s instead of 5 s',
  ],
  [
    110,
    'a cable comes back on a node with two NICs on one segment: an owner takes back what it yielded, 12 s',
  ],
  [
    119,
    'after an API outage for all nodes one agent takes 18 s to read the cluster again: no owner until then',
  ],
  [
    173,
    'an agent extends a lifetime while its Lease cannot be renewed, and dies: two owners until that lifetime ends',
  ],
]);
