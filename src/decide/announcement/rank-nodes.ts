/** Rendezvous hashing: a node that leaves moves only what it held, one that joins takes only its share. */

import { hash } from 'node:crypto';

/**
 * Best first: ascending by SHA-256 of `<node>#<key>`, bytes unsigned. Upstream's agents and tools compute the same;
 * the key of an address is its canonical text.
 */
export function rankNodes(key: string, nodes: readonly string[]): readonly string[] {
  return nodes
    .map((node) => ({ node, digest: digestOf(`${node}#${key}`) }))
    .sort((left, right) => (left.digest < right.digest ? -1 : 1))
    .map(({ node }) => node);
}

/** Each pass ranks the same nodes for the same addresses, and for each other: 20,000 for 100 of either. */
const digests = new Map<string, string>();
const mostDigests = 65_536;

function digestOf(text: string): string {
  const known = digests.get(text);
  if (known !== undefined) return known;
  if (digests.size >= mostDigests) digests.clear();
  const digest = hash('sha256', text, 'hex');
  digests.set(text, digest);
  return digest;
}
