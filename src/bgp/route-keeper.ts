/** Keeps learnt routes in the kernel as they should be: ours only, and only while somebody wants them there. */

import {
  diffRoutes,
  type InstalledRoute,
  planRoutes,
  type RouteFacts,
  routeKey,
} from '../decide/advertisement/plan-routes.ts';
import type { RouteFailure, RouteTable } from '../linux/route-table.ts';
import type { Route } from '../model/route.ts';
import type { Log } from '../runtime/log.ts';

export interface RouteKeeperSetup {
  readonly routes: RouteTable;
  readonly kernel: { routes(): Promise<readonly Route[]> };
  readonly log: Log;
}

export class RouteKeeper {
  readonly #setup: RouteKeeperSetup;
  /** What this process put there: with the export switched off, the mark alone proves nothing, as others use it too. */
  #own: readonly Route[] = [];

  constructor(setup: RouteKeeperSetup) {
    this.#setup = setup;
  }

  get hasRoutes(): boolean {
    return this.#own.length > 0;
  }

  /** `mayRemove` is false while routes are missing only because sessions are still coming up. */
  async keep(
    facts: Omit<RouteFacts, 'foreign'>,
    mayRemove: boolean,
  ): Promise<readonly InstalledRoute[]> {
    const { routeProtocol, rules } = facts.export;
    const all = await this.#setup.kernel.routes();
    const foreign = all.filter(({ protocol }) => protocol !== routeProtocol);
    const planned = planRoutes({ ...facts, foreign });
    const tables = new Set(rules.map(({ table }) => (table === 0 ? mainTable : table)));
    const held = all.filter((route) => route.protocol === routeProtocol && tables.has(route.table));
    const wanted = planned.flatMap(({ route }) => route ?? []);
    const { add, remove } = diffRoutes(wanted, held);
    const leaving = mayRemove ? [...remove, ...this.#moved(wanted, tables)] : [];
    const failures = await this.#apply(add, leaving);
    this.#own = mayRemove ? wanted : [...wanted, ...remove];
    return planned.map((each) => withFailure(each, failures));
  }

  /** Everything that this process put there. */
  async clear(): Promise<void> {
    if (this.#own.length === 0) return;
    await this.#apply([], this.#own);
    this.#own = [];
  }

  /** Into a table that no rule names any more. */
  #moved(wanted: readonly Route[], tables: ReadonlySet<number>): readonly Route[] {
    const keys = new Set(wanted.map(routeKey));
    return this.#own.filter((route) => !tables.has(route.table) && !keys.has(routeKey(route)));
  }

  async #apply(add: readonly Route[], remove: readonly Route[]): Promise<readonly RouteFailure[]> {
    if (add.length + remove.length === 0) return [];
    const { routes, log } = this.#setup;
    const failures = await routes.apply({ add, remove });
    const counts = { added: add.length, removed: remove.length, failures: failures.length };
    log.info('Learnt routes set in the kernel', counts);
    for (const { route, words } of failures.slice(0, 5)) {
      log.warn('Kernel refused a route', { destination: route.destination?.ip, words });
    }
    return failures;
  }
}

const mainTable = 254;

function withFailure(each: InstalledRoute, failures: readonly RouteFailure[]): InstalledRoute {
  const isRefused = failures.some(({ route }) => route === each.route);
  return isRefused ? { ...each, route: undefined, reason: 'refusedByKernel' } : each;
}
