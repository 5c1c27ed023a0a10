/** Which router the playground has, and what it says if that is not the one that was wished for. */

import { type RouterKind, routerKinds, routerTitles } from '../router/start-router.ts';

export const routerWishes = [...routerKinds, 'none'] as const;
export type RouterWish = (typeof routerWishes)[number];

export interface RouterChoice {
  readonly router: RouterKind | undefined;
  /** What is missing, a line each. */
  readonly says: readonly string[];
}

export interface RouterObstacles {
  readonly of: (kind: RouterKind) => string | false;
  /** In the way of every router: what the nodes lack. */
  readonly ofNodes: () => string | false;
}

/** Without a wish the first one that can run. */
export function chooseRouter(
  wish: RouterWish | undefined,
  obstacles: RouterObstacles,
): RouterChoice {
  if (wish === 'none') return { router: undefined, says: [] };
  const onNodes = obstacles.ofNodes();
  if (onNodes !== false) return without([onNodes]);
  const wanted = wish === undefined ? routerKinds : [wish];
  const router = wanted.find((kind) => obstacles.of(kind) === false);
  if (router !== undefined) return { router, says: [] };
  return without(wanted.map((kind) => `${routerTitles[kind]}: ${obstacles.of(kind)}`));
}

function without(reasons: readonly string[]): RouterChoice {
  const says = [
    'Nodes speak no BGP here:',
    ...reasons.map((reason) => `  ${reason}`),
    '  Remote addresses work all the same: the lab tells the router its routes.',
  ];
  return { router: undefined, says };
}
