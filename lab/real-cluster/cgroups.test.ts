import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseHierarchies } from './cgroups.ts';

test('hierarchies with controllers count; those with names, and that of version 2, do not', () => {
  const text = '5:name=systemd:/x\n4:cpu,cpuacct:/\n3:memory:/some/group\n0::/\n';
  assert.deepEqual(parseHierarchies(text), [
    { controllers: 'cpu,cpuacct', folder: '/sys/fs/cgroup/cpu,cpuacct' },
    { controllers: 'memory', folder: '/sys/fs/cgroup/memory/some/group' },
  ]);
});
