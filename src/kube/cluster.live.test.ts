import { execFileSync } from 'node:child_process';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { startControlPlane } from '../../lab/control-plane/control-plane.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { clusterContract } from './cluster.contract.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

clusterContract(
  'a real kube-apiserver',
  async () => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
    const api = await startControlPlane({ authorization: 'always-allow' });
    const { url, ca, adminToken } = api;
    return {
      config: { server: url, ca: { text: ca }, token: { text: adminToken } },
      stop: () => api.stop(),
    };
  },
  { skip },
);
