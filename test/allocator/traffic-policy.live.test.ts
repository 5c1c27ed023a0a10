import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { openReal } from './real-world.ts';
import { trafficPolicyContract } from './traffic-policy.contract.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) trafficPolicyContract(openReal());
else test('policies are rewritten on a real kube-apiserver', { skip }, () => {});
