import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import { missingBinaries } from '../control-plane/binaries.ts';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { enterFreshNamespace } from '../fresh-namespace.ts';
import { missing } from '../missing.ts';
import { apiContract } from './api.contract.ts';
import { contractUsers } from './contract/contract-server.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) {
  let running: Promise<ControlPlane> | undefined;
  before(() => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
  });
  after(async () => (await running)?.stop());
  apiContract('kube-apiserver', async () => {
    // It takes seconds to start, so all suites share one.
    running ??= startControlPlane({ authorization: 'rbac', users: contractUsers });
    const api = await running;
    return { url: api.url, ca: api.ca, token: (user) => api.token(user), stop: async () => {} };
  });
} else {
  test('the contract holds on a real kube-apiserver', { skip }, () => {});
}
