import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtLeast, readVersion } from './programs.ts';

test('a version is read from whatever a program says of itself', () => {
  const said = {
    'Kubernetes v1.36.3': [1, 36],
    'etcd Version: 3.6.8\nGit SHA: Not provided\nGo Version: go1.26.8': [3, 6],
    'Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0': [1, 32],
    'Client Version: version.Info{Major:"1", Minor:"20", GitVersion:"v1.20.2"}': [1, 20],
    'gobgpd version 4.8.0': [4, 8],
    'command not understood': undefined,
  };
  for (const [text, version] of Object.entries(said)) assert.deepEqual(readVersion(text), version);
});

test('versions are compared as numbers', () => {
  assert.deepEqual(
    (
      [
        [1, 33],
        [1, 100],
        [2, 0],
        [1, 9],
        [0, 99],
      ] as const
    ).map((it) => isAtLeast(it, [1, 33])),
    [true, true, true, false, false],
  );
});
