import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { processesContract } from './processes.contract.ts';
import { openReal } from './real-world.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) processesContract(openReal());
else test('two allocators share a real kube-apiserver', { skip }, () => {});
