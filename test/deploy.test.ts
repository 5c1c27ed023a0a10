import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { bundle, programs } from '../scripts/bundle.ts';
import { stateSocket as agentSocket, usage as agentUsage } from '../src/agent/agent-options.ts';
import {
  stateSocket as allocatorSocket,
  usage as allocatorUsage,
} from '../src/allocator/allocator-options.ts';
import { deployedProgram, podOf } from './deployed-program.ts';

const usages = { agent: agentUsage, allocator: allocatorUsage };
const stateSockets = { agent: agentSocket, allocator: allocatorSocket };
const facts = { namespace: 'purelb-system', uid: '1234', node: 'node1', hostIp: '192.0.2.11' };

test('a bundle is two programs, what they load beside them, and the licenses of it all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-bundle-'));
  await bundle(folder);
  assert.deepEqual(readdirSync(folder).sort(), [
    'LICENSES.txt',
    'agent.cjs',
    'agent.cjs.map',
    'allocator.cjs',
    'allocator.cjs.map',
    'koffi.node',
    'yaml.cjs',
  ]);
  const licenses = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
  assert.deepEqual(
    licenses.match(/^(PureLB|koffi|yaml)\b.*/gm)?.map((line) => line.split(' ')[0]),
    ['PureLB', 'koffi', 'yaml'],
  );
  for (const name of programs) {
    const code = readFileSync(join(folder, `${name}.cjs`), 'utf8');
    const required = [...code.matchAll(/\brequire\("([^"]+)"\)/g)].map((match) => match[1] ?? '');
    const foreign = required.filter((module) => !module.startsWith('node:'));
    const beside = name === 'agent' ? ['./koffi.node', './yaml.cjs'] : ['./yaml.cjs'];
    assert.deepEqual([...new Set(foreign)].sort(), beside, name);
  }
  rmSync(folder, { recursive: true });
});

for (const name of programs) {
  test(`the ${name}'s manifest starts its bundle, with variables that it knows`, () => {
    const { argv, env } = deployedProgram(name, facts);
    assert.match(argv.at(-1) ?? '', new RegExp(`/dist/${name}\\.cjs$`));
    assert.ok(argv.slice(0, -1).every((arg) => arg.startsWith('--')));
    const own = Object.keys(env).filter((variable) => variable !== 'MALLOC_ARENA_MAX');
    assert.deepEqual(
      own.filter((variable) => !usages[name].includes(variable)),
      [],
    );
  });

  test(`the ${name}'s container cannot write its files or gain rights, and is asked for its health`, () => {
    const { containers, securityContext } = podOf(name);
    for (const container of containers) {
      const { securityContext: rights, livenessProbe, readinessProbe } = container;
      assert.equal(rights.readOnlyRootFilesystem, true);
      assert.equal(rights.allowPrivilegeEscalation, false);
      const wanted = name === 'agent' ? ['NET_ADMIN', 'NET_RAW'] : undefined;
      assert.deepEqual([rights.capabilities.drop, rights.capabilities.add], [['ALL'], wanted]);
      assert.equal(livenessProbe.httpGet.path, '/healthz');
      assert.equal(readinessProbe.httpGet.path, '/readyz');
    }
    assert.equal(securityContext.runAsNonRoot === true, name === 'allocator');
  });

  test(`the ${name} is not asked before its port is open, so that no start is reported as unhealthy`, () => {
    const { startupProbe } = podOf(name).containers[0];
    assert.equal(startupProbe.httpGet.path, '/healthz');
    assert.ok(startupProbe.initialDelaySeconds >= 3);
  });

  test(`the ${name} can write the folder of the socket that its state is read from`, () => {
    const { containers, volumes } = podOf(name);
    const folder = dirname(stateSockets[name]);
    const mounts = containers[0].volumeMounts.filter(({ mountPath }) => mountPath === folder);
    assert.equal(mounts.length, 1);
    const volume = volumes.find((each) => each.name === mounts[0]?.name);
    assert.ok(volume?.emptyDir);
  });
}
