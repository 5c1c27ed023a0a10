/** What every `Kernel` must do. Run on the fake by its unit test, on real kernels by the live test. */

import { describe } from 'node:test';
import { addressLifeContract } from './kernel-address-life.contract.ts';
import { addressContract } from './kernel-addresses.contract.ts';
import { eventContract } from './kernel-events.contract.ts';
import { linkContract } from './kernel-links.contract.ts';
import { ownershipContract } from './kernel-ownership.contract.ts';
import type { KernelContract } from './kernel-world.contract.ts';

export function kernelContract(
  name: string,
  makeWorld: KernelContract['makeWorld'],
  skip: string | false = false,
): void {
  const contract = { name, makeWorld, skip };
  describe(name, () => {
    linkContract(contract);
    addressContract(contract);
    ownershipContract(contract);
    addressLifeContract(contract);
    eventContract(contract);
  });
}
