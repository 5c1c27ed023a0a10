/** A machine's kernel as one process sees it: it hears nothing while it stands still, and nothing any more when dead. */

import type { Kernel, KernelEvent } from '../../src/linux/kernel.ts';
import type { AddressChange } from '../../src/model/address.ts';
import type { ProcessClock } from './process-clock.ts';

export class ProcessKernel implements Kernel {
  readonly #kernel: Kernel;
  readonly #clock: ProcessClock;
  readonly #onChanges: (changes: readonly AddressChange[]) => void;

  constructor(
    kernel: Kernel,
    clock: ProcessClock,
    onChanges: (changes: readonly AddressChange[]) => void = () => {},
  ) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#onChanges = onChanges;
  }

  links() {
    return this.#ask(() => this.#kernel.links());
  }

  addresses() {
    return this.#ask(() => this.#kernel.addresses());
  }

  routes() {
    return this.#ask(() => this.#kernel.routes());
  }

  apply(changes: readonly AddressChange[]) {
    return this.#ask(() => {
      this.#onChanges(changes);
      return this.#kernel.apply(changes);
    });
  }

  changes(listener: (event: KernelEvent) => void): () => void {
    return this.#kernel.changes((event) => this.#clock.run(() => listener(event)));
  }

  ensureVirtualLink(name: string) {
    return this.#ask(() => this.#kernel.ensureVirtualLink(name));
  }

  removeVirtualLink(name: string) {
    return this.#ask(() => this.#kernel.removeVirtualLink(name));
  }

  close(): void {}

  #ask<T>(question: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#clock.run(() => void question().then(resolve, reject));
    });
  }
}
