/** The router with its sessions and ways: a column for each node, so that a missing one is seen at a glance. */

import type { Way } from '../router/router-watch.ts';
import { routerTitles } from '../router/start-router.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { alignColumns, heading, type Line, line } from './styled-text.ts';

export function drawRouter({ router, nodes }: ClusterFacts): readonly Line[] {
  if (router === undefined) return [];
  const names = nodes.map(({ name }) => name);
  const { kind, sessions, ways } = router;
  const title = heading(`ROUTER ${routerTitles[kind]}, and over which nodes it spreads packets`);
  const sessionCells = names.map((name) =>
    sessions.includes(name) ? line([name, 'good']) : line(['✗', 'bad']),
  );
  const rows = ways.map((way) => drawWay(way, names));
  return [title, ...alignColumns([[line(' BGP session'), ...sessionCells], ...rows])];
}

function drawWay({ prefix, nodes }: Way, names: readonly string[]): readonly Line[] {
  const cells = names.map((name) =>
    nodes.includes(name) ? line([name, 'plain']) : line(['·', 'dim']),
  );
  const share = nodes.length > 1 ? `1/${nodes.length} each` : 'all of it';
  return [line(' ', [prefix, 'accent']), ...cells, line([share, 'dim'])];
}
