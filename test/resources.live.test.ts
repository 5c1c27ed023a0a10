import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { missingBinaries } from '../lab/control-plane/binaries.ts';
import { startControlPlane } from '../lab/control-plane/control-plane.ts';
import { enterFreshNamespace } from '../lab/fresh-namespace.ts';
import { missing } from '../lab/missing.ts';
import { resourcesContract } from './resources.contract.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) {
  before(() => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
  });
  resourcesContract('kube-apiserver', async () => {
    const api = await startControlPlane({ authorization: 'always-allow' });
    return {
      url: api.url,
      ca: api.ca,
      token: (user) => api.token(user),
      stop: () => api.stop(),
    };
  });
} else {
  test('our resources on a real kube-apiserver', { skip }, () => {});
}
