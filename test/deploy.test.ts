import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '../lab/manifest.ts';
import { bundle, programs } from '../scripts/bundle.ts';
import { stateSocket as agentSocket, usage as agentUsage } from '../src/agent/agent-options.ts';
import {
  stateSocket as allocatorSocket,
  usage as allocatorUsage,
} from '../src/allocator/allocator-options.ts';
import { requestAnnotations, resultAnnotations } from '../src/model/annotations.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { conditionTypes } from '../src/model/reasons.ts';
import { isTolerated, readTolerations } from '../src/model/toleration.ts';
import {
  cleanupFinalizer,
  loadBalancerClasses,
  nodeLeasePrefix,
  recordsFinalizer,
} from '../src/model/well-known-names.ts';
import { deployedProgram, podOf } from './deployed-program.ts';

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';
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

test('an agent stays on nodes that keep pods away, and leaves those that drive pods out', () => {
  const [daemonSet] = readManifest('agent').filter(({ kind }) => kind === 'DaemonSet');
  assert.ok(daemonSet !== undefined);
  const tolerations = readTolerations(daemonSet);
  const isKept = (key: string, effect: string) =>
    isTolerated({ key, value: '', effect }, tolerations);
  assert.ok(isKept('node-role.kubernetes.io/control-plane', 'NoSchedule'));
  assert.ok(isKept('team', 'NoSchedule'));
  assert.ok(isKept('node.kubernetes.io/unreachable', 'NoExecute'));
  assert.ok(!isKept('team', 'NoExecute'));
  assert.ok(!isKept('node.kubernetes.io/out-of-service', 'NoExecute'));
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

  test(`the ${name}'s container has a token of four hours, and no other container has any`, () => {
    const { automountServiceAccountToken, containers, volumes } = podOf(name);
    assert.equal(automountServiceAccountToken, false);
    const projected = volumes.filter((volume) => volume.projected !== undefined);
    const sources = projected.flatMap((volume) => volume.projected?.sources ?? []);
    assert.deepEqual(sources[0], {
      serviceAccountToken: { path: 'token', expirationSeconds: 14400 },
    });
    const mounts = containers[0].volumeMounts.filter((each) => each.name === projected[0]?.name);
    assert.deepEqual(mounts[0]?.mountPath, accountFolder);
  });
}

test('gobgpd gets no token', () => {
  const { automountServiceAccountToken, containers } = podOf('bgp/agent');
  assert.equal(automountServiceAccountToken, undefined);
  const gobgpd = containers.find(({ image }) => image === 'gobgpd');
  assert.deepEqual(gobgpd?.volumeMounts, [{ name: 'gobgp', mountPath: '/var/run/gobgp' }]);
});

/** All of one file, as one text: names stand in expressions. */
function policyText(file: string): string {
  return JSON.stringify(readManifest(`policies/${file}`));
}

test('policies speak of the annotations, conditions and names that the programs use', () => {
  const results = Object.values(resultAnnotations);
  const agents = results.filter((name) => /announcing|added-to/.test(name));
  for (const name of results) assert.ok(policyText('results').includes(`'${name}'`), name);
  for (const name of [...agents, requestAnnotations.move]) {
    assert.ok(policyText('agent-services').includes(`'${name}'`), name);
  }
  for (const type of conditionTypes.Service) {
    assert.ok(policyText('allocator').includes(`'${type}'`), type);
    assert.equal(policyText('agent-services').includes(`'${type}'`), type !== 'Allocated', type);
  }
  for (const name of loadBalancerClasses) assert.ok(policyText('results').includes(name), name);
  for (const name of [cleanupFinalizer, recordsFinalizer]) {
    assert.ok(policyText('allocator').includes(`'${name}'`), name);
  }
  assert.ok(policyText('agent-objects').includes(`'${nodeLeasePrefix}'`));
});

test('every policy is bound, refuses, and speaks of accounts that the manifests make', () => {
  const files = readdirSync(new URL('../deploy/policies', import.meta.url));
  const named = files.filter((file) => file !== 'kustomization.yaml');
  const objects = named.flatMap((file) => readManifest(`policies/${file.replace('.yaml', '')}`));
  const isPolicy = ({ kind }: KubeObject) => kind === 'ValidatingAdmissionPolicy';
  const bindings = objects.filter((object) => !isPolicy(object)).map(({ spec }) => spec);
  assert.deepEqual(
    bindings,
    objects.filter(isPolicy).map(({ metadata }) => {
      return { policyName: metadata.name, validationActions: ['Deny'] };
    }),
  );
  const [kustomization] = readManifest('policies/kustomization');
  assert.deepEqual(kustomization?.['resources'], named);
  const text = named.map((file) => policyText(file.replace('.yaml', ''))).join('');
  const accounts = [...text.matchAll(/system:serviceaccount:[\w-]+:[\w-]+/g)].map(([name]) => name);
  assert.deepEqual([...new Set(accounts)].sort(), [
    'system:serviceaccount:purelb-system:allocator',
    'system:serviceaccount:purelb-system:lbnodeagent',
  ]);
});
