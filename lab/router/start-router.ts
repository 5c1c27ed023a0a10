/** A router by the name of its program. */

import { missing } from '../missing.ts';
import { Bird } from './bird.ts';
import { Frr, frrObstacle } from './frr.ts';
import type { Router, RouterOptions } from './router.ts';

export const routerKinds = ['frr', 'bird'] as const;
export type RouterKind = (typeof routerKinds)[number];

export const routerTitles: Readonly<Record<RouterKind, string>> = { frr: 'FRR', bird: 'BIRD' };

export async function startRouter(kind: RouterKind, options: RouterOptions): Promise<Router> {
  return kind === 'frr' ? Frr.start(options) : Bird.start(options);
}

/** Why it cannot run in this sandbox; false if nothing is in the way. */
export function routerObstacle(kind: RouterKind): string | false {
  return kind === 'frr' ? missing('vtysh') || frrObstacle() : missing('bird', 'birdc');
}
