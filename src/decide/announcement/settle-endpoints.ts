/**
 * Endpoints come and go faster than addresses should move. A node that loses its endpoints, or gets some, counts so for
 * placing addresses only when that has lasted.
 */

export type NodesByService = ReadonlyMap<string, ReadonlySet<string>>;

/** To be given back with the next facts; by Service, then by node. */
export type EndpointHistory = ReadonlyMap<string, ReadonlyMap<string, NodeHistory>>;

interface NodeHistory {
  readonly hasEndpoints: boolean;
  /** In ms on the monotonic clock. */
  readonly since: number;
  /** What counts until that has lasted. */
  readonly counted: boolean;
}

export interface SettledEndpoints {
  /** As they are now. */
  readonly current: NodesByService;
  /** For a wish: neither a loss nor a gain counts before it has lasted. */
  readonly preferred: NodesByService;
  /** For a must: a node without endpoints drops what it gets, so that a loss counts at once, a gain not. */
  readonly required: NodesByService;
  readonly history: EndpointHistory;
  readonly wakeAt: number;
}

/** As long as a readiness probe of the usual period needs to fail or succeed again. */
export const endpointSettleMs = 10_000;

export function settleEndpoints(
  current: NodesByService,
  previous: EndpointHistory | undefined,
  now: number,
): SettledEndpoints {
  const history = new Map(
    [...current].map(([service, nodes]) => [service, advance(nodes, previous?.get(service), now)]),
  );
  const preferred = new Map<string, ReadonlySet<string>>();
  const required = new Map<string, ReadonlySet<string>>();
  for (const [service, nodes] of current) {
    const counted = namesOf(history.get(service), ({ counted: counts }) => counts);
    const stillThere = counted.intersection(nodes);
    preferred.set(service, counted.size > 0 ? counted : nodes);
    required.set(service, stillThere.size > 0 ? stillThere : nodes);
  }
  return { current, preferred, required, history, wakeAt: findWake(history) };
}

/** A Service that is seen for the first time is taken as it is. */
function advance(
  nodes: ReadonlySet<string>,
  previous: ReadonlyMap<string, NodeHistory> | undefined,
  now: number,
): ReadonlyMap<string, NodeHistory> {
  const names = new Set([...nodes, ...(previous?.keys() ?? [])]);
  const entries = [...names].map((name): [string, NodeHistory] => {
    const hasEndpoints = nodes.has(name);
    if (previous === undefined) {
      return [name, { hasEndpoints, since: now, counted: hasEndpoints }];
    }
    return [name, advanceNode(hasEndpoints, previous.get(name), now)];
  });
  return new Map(entries.filter(([, { hasEndpoints, counted }]) => hasEndpoints || counted));
}

function advanceNode(
  hasEndpoints: boolean,
  previous: NodeHistory | undefined,
  now: number,
): NodeHistory {
  const before = previous ?? { hasEndpoints: false, since: now, counted: false };
  const since = before.hasEndpoints === hasEndpoints ? before.since : now;
  const hasLasted = now - since >= endpointSettleMs;
  return { hasEndpoints, since, counted: hasLasted ? hasEndpoints : before.counted };
}

function namesOf(
  histories: ReadonlyMap<string, NodeHistory> | undefined,
  accepts: (history: NodeHistory) => boolean,
): ReadonlySet<string> {
  const entries = [...(histories ?? [])];
  return new Set(entries.filter(([, history]) => accepts(history)).map(([name]) => name));
}

function findWake(history: EndpointHistory): number {
  const pending = [...history.values()]
    .flatMap((nodes) => [...nodes.values()])
    .filter(({ hasEndpoints, counted }) => hasEndpoints !== counted);
  return Math.min(...pending.map(({ since }) => since + endpointSettleMs));
}
