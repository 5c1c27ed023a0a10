import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { missing } from '../../lab/missing.ts';
import { stolenTokenContract } from './stolen-token.contract.ts';

const skip = missing() || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) {
  stolenTokenContract('on a real API server', async (tenant) => {
    const api = await startControlPlane({ authorization: 'rbac', users: { [tenant]: [] } });
    const { url, ca, adminToken } = api;
    return { url, ca, adminToken, tenantToken: api.token(tenant), stop: () => api.stop() };
  });
} else {
  test('tokens are worth on a real API server what the manifests say', { skip }, () => {});
}
