/** Rendezvous hashing: a node that leaves moves only what it held, one that joins takes only its share. */

import { hash } from 'node:crypto';

/**
 * Best first: ascending by SHA-256 of `<node>#<key>`, bytes unsigned. Upstream's agents and tools compute the same;
 * the key of an address is its canonical text.
 */
export function rankNodes(key: string, nodes: readonly string[]): readonly string[] {
  return nodes
    .map((node) => ({ node, digest: hash('sha256', `${node}#${key}`, 'hex') }))
    .sort((left, right) => (left.digest < right.digest ? -1 : 1))
    .map(({ node }) => node);
}
