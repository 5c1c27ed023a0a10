/** A Linux kernel in memory, as far as the port `Kernel` shows it; the contract suite holds it to the real one. */

import type { AddressChange, HeldAddress } from '../model/address.ts';
import type { Link } from '../model/link.ts';
import type { Route } from '../model/route.ts';
import { describeAddress } from './describe-address.ts';
import { applyToFake } from './fake-apply.ts';
import { FakeMachine } from './fake-machine.ts';
import type {
  ChangeFailure,
  Kernel,
  KernelEvent,
  VirtualLink,
  VirtualLinkRemoval,
} from './kernel.ts';
import { NetlinkError } from './netlink-error.ts';
import {
  createdLinkKinds,
  mayRemove,
  noLinkDriver,
  refuseOtherKinds,
} from './virtual-link-rules.ts';

export interface FakeKernelOptions {
  /** Milliseconds, for lifetimes and duplicate address detection; time stands still without it. */
  readonly now?: () => number;
  /** Kinds of virtual links that this kernel has. */
  readonly drivers?: readonly string[];
}

type Fault = Pick<ChangeFailure, 'code' | 'errno' | 'words'>;

export class FakeKernel implements Kernel {
  /** What others do to the kernel. */
  readonly machine: FakeMachine;
  readonly #drivers: readonly string[];
  readonly #stops = new Set<() => void>();
  #applyFault: Fault | undefined;
  #readsToInterrupt = 0;
  #isClosed = false;

  constructor({ now, drivers = createdLinkKinds }: FakeKernelOptions = {}) {
    this.machine = new FakeMachine(now);
    this.#drivers = drivers;
  }

  async links(): Promise<readonly Link[]> {
    this.#beginRead('read links');
    return this.machine.links();
  }

  async addresses(): Promise<readonly HeldAddress[]> {
    this.#beginRead('read addresses');
    return this.machine.addresses();
  }

  async routes(): Promise<readonly Route[]> {
    this.#beginRead('read routes');
    return this.machine.routes();
  }

  async apply(changes: readonly AddressChange[]): Promise<readonly ChangeFailure[]> {
    this.#refuseIfClosed('change addresses');
    const fault = this.#applyFault;
    this.#applyFault = undefined;
    if (fault !== undefined) return changes.map((change) => ({ change, ...fault }));
    this.machine.tick();
    return this.machine.change((addresses) =>
      changes.flatMap(
        (change) =>
          applyToFake(change, this.machine.findLink(change.address.link), addresses) ?? [],
      ),
    );
  }

  changes(listener: (event: KernelEvent) => void): () => void {
    this.#refuseIfClosed('listen');
    const stop = this.machine.listen(listener);
    this.#stops.add(stop);
    return () => {
      stop();
      this.#stops.delete(stop);
    };
  }

  async ensureVirtualLink(name: string): Promise<VirtualLink> {
    this.#refuseIfClosed(`create link ${name}`);
    const existing = this.machine.findLink(name);
    if (existing !== undefined) refuseOtherKinds(existing);
    if (existing?.isUp === true) return { link: existing, how: 'adopted' };
    if (existing === undefined) return { link: this.#createLink(name), how: 'created' };
    this.machine.setUp(name, true);
    return { link: this.machine.findLink(name) ?? existing, how: 'adopted' };
  }

  async removeVirtualLink(name: string): Promise<VirtualLinkRemoval> {
    this.#refuseIfClosed(`remove link ${name}`);
    const link = this.machine.findLink(name);
    if (link === undefined) return 'absent';
    if (!mayRemove(link, this.machine.addresses())) return 'kept';
    this.machine.removeLink(name);
    return 'removed';
  }

  close(): void {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
  }

  /** The next `apply` does nothing and fails every change. */
  failNextApply(fault: Fault = { code: 'Refused', errno: 'ENOBUFS', words: 'ENOBUFS' }): void {
    this.#applyFault = fault;
  }

  /** The next reads find the tables changing under way, and so know nothing. */
  interruptReads(count: number): void {
    this.#readsToInterrupt = count;
  }

  /** The kernel had no room for events. */
  loseEvents(): void {
    this.machine.tell({ kind: 'resync' });
  }

  /** One line per address, as `describeAddress` writes it. */
  toString(): string {
    return this.machine.addresses().map(describeAddress).join('\n');
  }

  #createLink(name: string): Link {
    const kind = createdLinkKinds.find((candidate) => this.#drivers.includes(candidate));
    if (kind === undefined) throw noLinkDriver(name);
    return this.machine.addLink({ name, kind });
  }

  #beginRead(operation: string): void {
    this.#refuseIfClosed(operation);
    if (this.#readsToInterrupt === 0) return;
    this.#readsToInterrupt -= 1;
    throw new NetlinkError('NETLINK_INTERRUPTED', operation, { message: 'changed under way' });
  }

  #refuseIfClosed(operation: string): void {
    if (!this.#isClosed) return;
    throw new NetlinkError('NETLINK_CLOSED', operation, { message: 'connection is closed' });
  }
}
