import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { podNamespace } from './pod-namespace.ts';

test('the namespace of the pod is what its file says, and empty without one', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'purelb-'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'namespace');
  assert.equal(podNamespace(file), '');
  writeFileSync(file, 'purelb-system\n');
  assert.equal(podNamespace(file), 'purelb-system');
});
