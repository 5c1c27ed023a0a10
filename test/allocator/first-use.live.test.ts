import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { firstUseContract } from './first-use.contract.ts';
import { openReal } from './real-world.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) firstUseContract(openReal());
else test('the allocator works with a real kube-apiserver', { skip }, () => {});
