import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { changesContract } from './changes.contract.ts';
import { openReal } from './real-world.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) changesContract(openReal());
else test('the allocator follows changes on a real kube-apiserver', { skip }, () => {});
