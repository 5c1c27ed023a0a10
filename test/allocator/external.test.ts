import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import { asAdmin, setUpNetbox, tenant } from '../../lab/netbox/set-up.ts';
import { startNetbox } from '../../lab/netbox/start-netbox.ts';
import { PoolBook } from '../../lab/sidecar/pool-book.ts';
import { startSidecar } from '../../lab/sidecar/start-sidecar.ts';
import { secrets } from '../../src/kube/resources.ts';
import { installNamespace } from './allocator-world.ts';
import { openEmbedded } from './embedded-world.ts';
import { startHere } from './test-allocator.ts';

const limit = { withinMs: 30_000 };

test('I14: the allocator gets addresses from a sidecar, and each Service that shares gives its own back', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-external-'));
  const ranges = { default: ['203.0.113.1-203.0.113.2'] };
  const book = new PoolBook({ ranges, stateFile: join(folder, 'state') });
  const sidecar = await startSidecar({ book, listen: { socket: join(folder, 'ipam.sock') } });
  const { world, close } = await openEmbedded();
  const allocator = await startHere(world);
  try {
    await world.group('default', { external: { provider: 'acme', socket: sidecar.target } });
    const annotations = { 'purelb.io/allow-shared-ip': 'k' };
    await world.service('one', { annotations });
    await world.service('two', { annotations, port: 81 });
    for (const name of ['one', 'two']) {
      await eventually(async () => {
        assert.deepEqual((await world.look(name))?.ingress, ['203.0.113.1']);
      }, limit);
    }
    await world.removeService('one');
    await world.removeService('two');
    await eventually(() => assert.equal(book.count('default', 'ipv4').inUse, 0), limit);
    await eventually(async () => assert.equal(await world.look('two'), undefined), limit);
    const metrics = await allocator.read('/metrics');
    assert.match(
      metrics,
      /purelb_allocator_sidecar_rpc_total\{.*method="\/purelb\.ipam\.v1\.IPAM\/Release",code="OK"\} [1-9]/,
    );
    assert.match(metrics, /purelb_allocator_source_ready\{pool="default"\} 1/);
  } finally {
    await allocator.stop();
    await close();
    await sidecar.stop();
    rmSync(folder, { recursive: true });
  }
});

test('I13: the allocator gets addresses from Netbox over HTTP, with a token from a Secret that nobody reads', async () => {
  const server = await startNetbox({ basePath: '/netbox' });
  const token = setUpNetbox(server.netbox, { prefixes: ['198.51.100.0/30'] });
  const { world, close } = await openEmbedded();
  const allocator = await startHere(world);
  try {
    const data = { 'user-token': Buffer.from(token).toString('base64') };
    const metadata = { name: 'netbox-client', namespace: installNamespace };
    await world.create(secrets, { metadata, data } as never);
    const tokenSecretRef = { name: 'netbox-client' };
    const netbox = {
      url: `${server.url}/api/`,
      tenant,
      prefixes: ['198.51.100.0/30'],
      tokenSecretRef,
    };
    await world.group('default', { netbox });
    await world.service('web');
    await eventually(async () => {
      assert.deepEqual((await world.look('web'))?.ingress, ['198.51.100.0']);
    }, limit);
    const [record] = asAdmin(server.netbox, 'GET', 'ipam/ip-addresses/')['results'] as object[];
    assert.match(JSON.stringify(record), /"description":"purelb [-0-9a-f]+ shop\/web"/);
    await world.removeService('web');
    await eventually(async () => assert.equal(await world.look('web'), undefined), limit);
    assert.equal(asAdmin(server.netbox, 'GET', 'ipam/ip-addresses/')['count'], 0);
    const said = [
      ...allocator.lines,
      await allocator.state(),
      await allocator.read('/metrics'),
      JSON.stringify([
        await world.allGroups(),
        await world.eventsOf('web'),
        await world.eventsOf('default'),
      ]),
    ];
    const secret = token.split('.')[1] ?? '';
    assert.ok(secret.length > 10);
    for (const text of said) assert.ok(!text.includes(secret), 'the token is nowhere');
  } finally {
    await allocator.stop();
    await close();
    await server.stop();
  }
});
