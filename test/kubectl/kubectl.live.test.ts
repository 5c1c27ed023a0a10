import { execFileSync } from 'node:child_process';
import { before, describe, test } from 'node:test';
import { startApi } from '../../lab/api/start-api.ts';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { createDefinitions } from './create-definitions.ts';
import { kubectlContract } from './kubectl.contract.ts';

const skip = missing('ip') || missingBinaries('kubectl');
const skipReal = skip || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) {
  before(() => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
  });
  describe('kubectl on the embedded API server', () => {
    kubectlContract('embedded', 'objects.transcript', async () => {
      const api = await startApi({ tls: true, rbac: true });
      await createDefinitions(async (path, body) => {
        const authorization = `Bearer ${api.adminToken}`;
        const { status } = api.api.handle({
          method: 'POST',
          url: path,
          headers: { authorization },
          body: JSON.stringify(body),
        });
        return status;
      });
      return { kubeconfig: (path) => api.kubeconfig(path), stop: () => api.stop() };
    });
  });
} else test('kubectl works on the embedded API server', { skip }, () => {});

if (skipReal === false) {
  describe('kubectl on a real kube-apiserver', () => {
    kubectlContract('real', 'objects.transcript', async () => {
      const api = await startControlPlane({ authorization: 'rbac' });
      await createDefinitions(async (path, body) => {
        return (await api.request({ method: 'POST', path, body })).status;
      });
      return { kubeconfig: (path) => api.kubeconfig(path), stop: () => api.stop() };
    });
  });
} else test('kubectl prints the same on a real kube-apiserver', { skip: skipReal }, () => {});
