import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { missingBinaries } from '../control-plane/binaries.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { enterFreshNamespace } from '../fresh-namespace.ts';
import { missing } from '../missing.ts';
import { apiContract } from './api.contract.ts';
import { contractUsers } from './contract/contract-server.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) {
  before(() => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
  });
  apiContract('kube-apiserver', async () => {
    const api = await startControlPlane({ authorization: 'rbac', users: contractUsers });
    return {
      url: api.url,
      ca: api.ca,
      token: (user) => api.token(user),
      stop: () => api.stop(),
    };
  });
} else {
  test('the contract holds on a real kube-apiserver', { skip }, () => {});
}
