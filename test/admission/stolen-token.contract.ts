/** Tokens of PureLB's accounts in other hands: what each is worth. The real API server and the embedded one agree. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { ApiRequest } from '../../lab/control-plane/api-client.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { AdmissionWorld, type Send, type StartAdmissionServer } from './admission-world.ts';
import { honestAllocator, stolenAllocator } from './allocator-rows.ts';
import { honestAgent } from './honest-agent.ts';
import { objects, type Row } from './requests.ts';
import { stolenAgent } from './stolen-agent.ts';
import { forgingTenant, honestTenant, restoringAdministrator } from './tenant-rows.ts';

/** One line for each row that went otherwise than it says. */
async function surprises(
  { admin }: AdmissionWorld,
  send: Send,
  rows: readonly Row[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name, request, refused } of rows) {
    const { status, message } = await send(await withVersion(admin, request));
    const isAsTold = refused === undefined ? status < 300 : status === 403 && refused.test(message);
    if (!isAsTold) found.push(`${name}: ${status} ${message}`);
  }
  return found;
}

/** Who replaces an object has read it before. */
async function withVersion(admin: Send, request: ApiRequest): Promise<ApiRequest> {
  if (request.method !== 'PUT') return request;
  const { body, status } = await admin({ method: 'GET', path: request.path });
  if (status !== 200) return request;
  const { resourceVersion } = (body as KubeObject).metadata;
  const object = request.body as KubeObject;
  return { ...request, body: { ...object, metadata: { ...object.metadata, resourceVersion } } };
}

export function stolenTokenContract(name: string, start: StartAdmissionServer): void {
  describe(name, () => {
    let world: AdmissionWorld;
    let agent: Send;
    let allocator: Send;

    before(async () => {
      world = await AdmissionWorld.open(start);
      for (const object of objects) await world.create(object);
      agent = await world.account('lbnodeagent', 'node1');
      allocator = await world.account('allocator', 'node1');
    });

    after(async () => {
      await world?.[Symbol.asyncDispose]();
    });

    test("a stolen token of a node's agent changes nothing beyond that node", async () => {
      assert.ok(stolenAgent.length >= 20);
      assert.deepEqual(await surprises(world, agent, stolenAgent), []);
    });

    test('a token of agents that names no node changes nothing', async () => {
      const homeless = await world.account('lbnodeagent');
      const refused = /this token of an agent names no node/;
      const names = [
        'joins',
        'makes its BGPNodeStatus',
        'takes off all that it wrote',
        'reports an Event',
      ];
      const tried = honestAgent.filter(({ name }) => names.includes(name));
      assert.equal(tried.length, names.length);
      const rows = tried.map((row) => ({ ...row, refused }));
      assert.deepEqual(await surprises(world, homeless, rows), []);
    });

    test('a stolen token of the allocator changes no more than it hands out', async () => {
      assert.deepEqual(await surprises(world, allocator, stolenAllocator), []);
    });

    test('a tenant forges nothing that PureLB writes', async () => {
      assert.deepEqual(await surprises(world, world.tenant(), forgingTenant), []);
    });

    test('nothing of what an agent does is refused', async () => {
      assert.deepEqual(await surprises(world, agent, honestAgent), []);
    });

    test('nothing of what the allocator does is refused', async () => {
      assert.deepEqual(await surprises(world, allocator, honestAllocator), []);
    });

    test('a backup comes back, and tenants do what is theirs', async () => {
      assert.deepEqual(await surprises(world, world.admin, restoringAdministrator), []);
      assert.deepEqual(await surprises(world, world.tenant(), honestTenant), []);
    });
  });
}
