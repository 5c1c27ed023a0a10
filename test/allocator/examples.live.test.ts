import { test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { missing } from '../../lab/missing.ts';
import { examplesContract } from './examples.contract.ts';
import { openReal } from './real-world.ts';

const skip = missing('ip') || missingBinaries('etcd', 'kube-apiserver');

if (skip === false) examplesContract(openReal());
else test('the examples hold on a real kube-apiserver', { skip }, () => {});
