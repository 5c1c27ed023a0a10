import { execFileSync } from 'node:child_process';
import { before, test } from 'node:test';
import { missingBinaries } from '../../lab/control-plane/binaries.ts';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { kubectlContract } from './kubectl.contract.ts';
import { startWorkloads } from './start-workloads.ts';

const skip = missing('ip') || missingBinaries('kubectl');

if (skip === false) {
  before(() => {
    enterFreshNamespace();
    execFileSync('ip', ['link', 'set', 'lo', 'up']);
  });
  kubectlContract('embedded with controllers', 'workloads.transcript', startWorkloads);
} else test('kubectl works on the embedded API server with controllers', { skip }, () => {});
