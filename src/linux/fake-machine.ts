/** What lies behind a fake kernel: its tables, and what others than we do to them. */

import type { AddressScope, HeldAddress } from '../model/address.ts';
import type { Ip } from '../model/ip.ts';
import type { Link } from '../model/link.ts';
import { prefixOf } from '../model/prefix.ts';
import type { Route } from '../model/route.ts';
import { type FakeAddress, type FakeAddressSpec, FakeAddressTable } from './fake-address-table.ts';
import { eventsBetween, takeSnapshot } from './fake-kernel-snapshot.ts';
import { type FakeLinkSpec, FakeLinkTable } from './fake-link-table.ts';
import { connectedRoutes } from './fake-routes.ts';
import type { KernelEvent } from './kernel.ts';

export class FakeMachine {
  /** The sysctl; off in a new network namespace. */
  promoteSecondaries = false;
  /** Counts changes: as long as it stays the same, so does everything here. */
  #revision = 0;
  readonly #links = new FakeLinkTable();
  readonly #addresses: FakeAddressTable;
  readonly #takenElsewhere = new Set<Ip>();
  readonly #listeners = new Set<(event: KernelEvent) => void>();
  #routes: Route[] = [];

  /** Lifetimes and duplicate address detection go by `now`, in milliseconds. */
  constructor(now: () => number = () => 0) {
    this.#addresses = new FakeAddressTable({
      now,
      promotesSecondaries: () => this.promoteSecondaries,
      isTaken: (linkIndex, ip) => this.#isTaken(linkIndex, ip),
    });
    const lo = this.#links.add({ name: 'lo' });
    this.#addresses.add(lo, foreignSpec('127.0.0.1/8', 'host'));
    this.#addresses.add(lo, foreignSpec('::1/128', 'host'));
  }

  get revision(): number {
    this.tick();
    return this.#revision;
  }

  links(): readonly Link[] {
    return this.#links.list();
  }

  findLink(name: string): Link | undefined {
    return this.#links.find(name);
  }

  addresses(): readonly HeldAddress[] {
    this.tick();
    return this.#addresses.list().map((address) => this.#view(address));
  }

  /** Whether an address is on a link: what its kernel answers for. */
  has(linkIndex: number, ip: Ip): boolean {
    this.tick();
    return this.#addresses.has(linkIndex, ip);
  }

  routes(): readonly Route[] {
    this.tick();
    return [...connectedRoutes(this.#addresses.list(), this.#links.list()), ...this.#routes];
  }

  addLink(spec: FakeLinkSpec): Link {
    return this.change(() => this.#links.add(spec));
  }

  removeLink(name: string): void {
    this.change(() => {
      for (const index of this.#links.remove(name)) {
        this.#addresses.removeLink(index);
        this.#dropRoutes(index);
      }
    });
  }

  renameLink(name: string, newName: string): void {
    this.change(() => this.#links.rename(name, newName));
  }

  /** As the administrator does. */
  setUp(name: string, isUp: boolean): void {
    this.change(() => {
      const link = this.#links.setUp(name, isUp);
      if (isUp) this.#addresses.linkCameUp(link);
      else {
        this.#addresses.linkWentDown(link.index);
        this.#dropRoutes(link.index);
      }
    });
  }

  /** As pulling the cable does: addresses and routes stay. */
  setCarrier(name: string, hasCarrier: boolean): void {
    this.change(() => this.#links.setCarrier(name, hasCarrier));
  }

  /** `addForeign('eth0', '192.0.2.10/24')`: someone else's address, permanent and without a mark. */
  addForeign(linkName: string, prefix: string): void {
    this.change(() => this.#addresses.add(this.#link(linkName), foreignSpec(prefix)));
  }

  /** Someone removes an address, theirs or ours. */
  removeAddress(linkName: string, prefix: string): void {
    this.change((addresses) => {
      const { ip, length } = prefixOf(prefix);
      const address = addresses.find(this.#link(linkName).index, ip, length);
      if (address === undefined) throw new Error(`no ${prefix} on ${linkName}`);
      addresses.remove(address);
    });
  }

  addRoute(route: Route): void {
    this.change(() => this.#routes.push(route));
  }

  /** Another host holds the address: duplicate address detection will find it. */
  takeElsewhere(ip: Ip): void {
    this.#takenElsewhere.add(ip);
  }

  /** Lets happen what is due by now. */
  tick(): void {
    if (this.#addresses.isDue()) this.change((addresses) => addresses.settle());
  }

  /** Runs a change of the tables and tells what came of it, as the kernel does: later. */
  change<T>(run: (addresses: FakeAddressTable) => T): T {
    const before = this.#snapshot();
    const result = run(this.#addresses);
    this.#addresses.noteChange();
    this.#revision += 1;
    const after = this.#snapshot();
    // The address may have gone together with its link.
    const linkOf = ({ linkIndex }: FakeAddress) =>
      after.links.get(linkIndex) ?? before.links.get(linkIndex);
    const events = eventsBetween(before, after, (address) =>
      this.#addresses.view(address, linkOf(address)?.name ?? ''),
    );
    for (const event of events) this.tell(event);
    return result;
  }

  listen(listener: (event: KernelEvent) => void): () => void {
    // Each subscription is its own, also of a function that subscribes twice.
    const own = (event: KernelEvent) => listener(event);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  tell(event: KernelEvent): void {
    for (const listener of this.#listeners) {
      queueMicrotask(() => {
        if (this.#listeners.has(listener)) listener(event);
      });
    }
  }

  #snapshot() {
    const links = this.#links.list();
    const addresses = this.#addresses.list();
    const routes = [...connectedRoutes(addresses, links), ...this.#routes];
    return takeSnapshot(links, addresses, routes);
  }

  #view(address: FakeAddress): HeldAddress {
    return this.#addresses.view(address, this.#links.nameOf(address.linkIndex) ?? '');
  }

  #link(name: string): Link {
    const link = this.#links.find(name);
    if (link === undefined) throw new Error(`no link ${name}`);
    return link;
  }

  #isTaken(linkIndex: number, ip: Ip): boolean {
    const peer = this.#links.peerOf(linkIndex);
    return (
      this.#takenElsewhere.has(ip) ||
      this.#addresses.list().some((other) => other.linkIndex === peer && other.ip === ip)
    );
  }

  #dropRoutes(linkIndex: number): void {
    this.#routes = this.#routes.filter(
      ({ nextHops }) => !nextHops.some((hop) => hop.linkIndex === linkIndex),
    );
  }
}

function foreignSpec(prefix: string, scope: AddressScope = 'global'): FakeAddressSpec {
  const { ip, length } = prefixOf(prefix);
  return {
    ip,
    prefixLength: length,
    validSeconds: Infinity,
    preferredSeconds: Infinity,
    noPrefixRoute: false,
    noDad: false,
    isOurs: false,
    scope,
  };
}
