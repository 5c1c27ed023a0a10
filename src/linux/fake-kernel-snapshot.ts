import type { HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Route } from '../model/route.ts';
import type { FakeAddress } from './fake-address-table.ts';
import type { KernelEvent } from './kernel.ts';

/** What a fake kernel holds at one moment, by identity and with what tells a change. */
export interface Snapshot {
  readonly links: ReadonlyMap<number, Link>;
  readonly addresses: ReadonlyMap<FakeAddress, number>;
  readonly routes: ReadonlyMap<string, Route>;
}

export function takeSnapshot(
  links: readonly Link[],
  addresses: readonly FakeAddress[],
  routes: readonly Route[],
): Snapshot {
  return {
    links: new Map(links.map((link) => [link.index, link])),
    addresses: new Map(addresses.map((address) => [address, address.revision])),
    routes: new Map(routes.map((route) => [JSON.stringify(route), route])),
  };
}

/** The events between two moments, in an order in which the kernel could tell them. */
export function eventsBetween(
  before: Snapshot,
  after: Snapshot,
  view: (address: FakeAddress) => HeldAddress,
): readonly KernelEvent[] {
  return [
    ...linkEvents(before, after),
    ...missing(before.addresses, after.addresses).map(
      ([address]) => ({ kind: 'address-removed', address: view(address) }) as const,
    ),
    ...[...after.addresses]
      .filter(([address, revision]) => before.addresses.get(address) !== revision)
      .map(([address]) => ({ kind: 'address-added', address: view(address) }) as const),
    ...missing(before.routes, after.routes).map(
      ([, route]) => ({ kind: 'route-removed', route }) as const,
    ),
    ...missing(after.routes, before.routes).map(
      ([, route]) => ({ kind: 'route-added', route }) as const,
    ),
    ...missing(before.links, after.links).map(
      ([, link]) => ({ kind: 'link-removed', link }) as const,
    ),
  ];
}

function linkEvents(before: Snapshot, after: Snapshot): readonly KernelEvent[] {
  return [...after.links].flatMap(([index, link]): KernelEvent[] => {
    const earlier = before.links.get(index);
    if (earlier === undefined) return [{ kind: 'link-added', link }];
    if (JSON.stringify(earlier) === JSON.stringify(link)) return [];
    return [{ kind: 'link-changed', link }];
  });
}

function missing<Key, Value>(
  from: ReadonlyMap<Key, Value>,
  to: ReadonlyMap<Key, Value>,
): readonly (readonly [Key, Value])[] {
  return [...from].filter(([key]) => !to.has(key));
}
