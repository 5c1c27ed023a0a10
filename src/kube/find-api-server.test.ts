import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { findApiServer } from './find-api-server.ts';

const scratch = mkdtempSync(join(tmpdir(), 'purelb-kube-'));
after(() => rmSync(scratch, { recursive: true }));

function write(name: string, text: string): string {
  const path = join(scratch, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const yamlFor = (server: string) => `
apiVersion: v1
kind: Config
current-context: lab
clusters: [{ name: lab, cluster: { server: "${server}" } }]
contexts:
- name: lab
  context: { cluster: lab }
`;

const named = write('named', yamlFor('https://192.0.2.1'));
const listed = write('listed', yamlFor('https://192.0.2.2'));
write(
  'home/.kube/config',
  JSON.stringify({
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster: { server: 'https://192.0.2.4' } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab' } }],
  }),
);
const serviceAccount = join(scratch, 'serviceaccount');
write('serviceaccount/token', 'secret');
write('serviceaccount/namespace', 'purelb-system\n');

const pod = { KUBERNETES_SERVICE_HOST: '192.0.2.3', KUBERNETES_SERVICE_PORT: '6443' };

test('the file that was named comes first, then KUBECONFIG, then the pod, then the home directory', async () => {
  const HOME = join(scratch, 'home');
  const server = async (env: Record<string, string>, kubeconfig?: string) => {
    const found = await findApiServer({ env, kubeconfig, serviceAccount });
    return found.server;
  };
  const KUBECONFIG = `${join(scratch, 'missing')}:${listed}:`;
  assert.deepEqual(
    [
      await server({ ...pod, HOME, KUBECONFIG }, named),
      await server({ ...pod, HOME, KUBECONFIG }),
      await server({ ...pod, HOME }),
      await server({ HOME }),
    ],
    ['https://192.0.2.1', 'https://192.0.2.2', 'https://192.0.2.3:6443', 'https://192.0.2.4'],
  );
});

test('in a pod the service account says who we are and where, also over IPv6', async () => {
  const env = { KUBERNETES_SERVICE_HOST: '2001:db8::1' };
  assert.deepEqual(await findApiServer({ env, serviceAccount }), {
    server: 'https://[2001:db8::1]:443',
    ca: { file: join(serviceAccount, 'ca.crt') },
    token: { file: join(serviceAccount, 'token') },
    namespace: 'purelb-system',
  });
});

test('each way to fail says what was looked for and where', async () => {
  const nowhere = join(scratch, 'nowhere');
  const cases: readonly (readonly [Parameters<typeof findApiServer>[0], RegExp])[] = [
    [{ env: {}, kubeconfig: nowhere }, /cannot read .*nowhere: ENOENT/],
    [{ env: { KUBECONFIG: write('broken', 'a: [') } }, /cannot read .*broken: /],
    [{ env: { KUBECONFIG: write('empty', '') } }, /empty: current-context: is not set/],
    [{ env: pod, serviceAccount: nowhere }, /without a service account: there is no .*nowhere/],
    [{ env: { HOME: nowhere } }, /not in a pod, KUBECONFIG is not set, and there is no .*nowhere/],
  ];
  for (const [search, message] of cases) {
    await assert.rejects(findApiServer(search), { name: 'ApiServerConfigError', message });
  }
});
