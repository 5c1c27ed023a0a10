/** What every `Neighbours` must do, told by tests that run on the fake and on real namespaces alike. */

import { test } from 'node:test';
import { describeAnnouncements } from './neighbours-announcing.contract.ts';
import { describeEchoes, describeProbes } from './neighbours-asking.contract.ts';
import { describeLinks, describeListening } from './neighbours-listening.contract.ts';
import type { Contract, NeighbourWorld } from './neighbours-world.contract.ts';

export interface ContractOptions {
  readonly skip: string | false;
  open(): Promise<NeighbourWorld>;
}

export function describeNeighbours(name: string, { skip, open }: ContractOptions): void {
  const contract: Contract = (title, body) => {
    test(`${name}: ${title}`, { skip }, async () => {
      const world = await open();
      try {
        await body(world);
      } finally {
        await world.close();
      }
    });
  };
  for (const family of ['ipv4', 'ipv6'] as const) {
    describeAnnouncements(family, contract);
    describeProbes(family, contract);
    describeEchoes(family, contract);
  }
  describeListening(contract);
  describeLinks(contract);
}
