import { describe } from 'node:test';
import { accessContract } from './contract/access.contract.ts';
import { admissionContract } from './contract/admission.contract.ts';
import { applyContract } from './contract/apply.contract.ts';
import type { StartServer } from './contract/contract-server.ts';
import { startWorld } from './contract/contract-world.ts';
import { customResourcesContract } from './contract/custom-resources.contract.ts';
import { discoveryContract } from './contract/discovery.contract.ts';
import { kindsContract } from './contract/kinds.contract.ts';
import { listsContract } from './contract/lists.contract.ts';
import { objectsContract } from './contract/objects.contract.ts';
import { patchesContract } from './contract/patches.contract.ts';
import { podTablesContract } from './contract/pod-tables.contract.ts';
import { servicesContract } from './contract/services.contract.ts';
import { subresourcesContract } from './contract/subresources.contract.ts';
import { tableShapesContract } from './contract/table-shapes.contract.ts';
import { tablesContract } from './contract/tables.contract.ts';
import { watchesContract } from './contract/watches.contract.ts';

/** What a Kubernetes API server does, seen over plain HTTP: run on the embedded one and on the real one alike. */
export function apiContract(name: string, start: StartServer): void {
  describe(`${name}: objects`, () => objectsContract(startWorld(start)));
  describe(`${name}: lists`, () => listsContract(startWorld(start)));
  describe(`${name}: patches`, () => patchesContract(startWorld(start)));
  describe(`${name}: apply`, () => applyContract(startWorld(start)));
  describe(`${name}: services`, () => servicesContract(startWorld(start)));
  describe(`${name}: kinds`, () => kindsContract(startWorld(start)));
  describe(`${name}: custom resources`, () => customResourcesContract(startWorld(start)));
  describe(`${name}: discovery`, () => discoveryContract(startWorld(start)));
  describe(`${name}: access`, () => accessContract(startWorld(start)));
  describe(`${name}: admission`, () => admissionContract(startWorld(start)));
  describe(`${name}: tables`, () => tablesContract(startWorld(start)));
  describe(`${name}: tables of pods`, () => podTablesContract(startWorld(start)));
  describe(`${name}: shapes of tables`, () => tableShapesContract(startWorld(start)));
  describe(`${name}: subresources`, () => subresourcesContract(startWorld(start)));
  describe(`${name}: watches`, () => watchesContract(startWorld(start)));
}
