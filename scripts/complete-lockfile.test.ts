import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { missingPackages } from './complete-lockfile.ts';

test('the lockfile lacks no optional package: npm ci would refuse it', () => {
  const lockfile = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  assert.deepEqual(Object.keys(missingPackages(JSON.parse(lockfile))), []);
});

test('a package for another platform is entered with its platform', () => {
  const packages = {
    'node_modules/tool': {
      version: '1.2.3',
      dev: true,
      optionalDependencies: { '@tool/linux-arm64-musl': '1.2.3', '@tool/linux-x64': '1.2.3' },
    },
    'node_modules/@tool/linux-x64': { version: '1.2.3' },
  };
  assert.deepEqual(missingPackages({ packages }), {
    'node_modules/@tool/linux-arm64-musl': {
      version: '1.2.3',
      cpu: ['arm64'],
      dev: true,
      libc: ['musl'],
      optional: true,
      os: ['linux'],
    },
  });
});

test('a package whose platform its name does not tell is not guessed', () => {
  const packages = { 'node_modules/tool': { optionalDependencies: { fsevents: '2.0.0' } } };
  assert.throws(() => missingPackages({ packages }), /which platform is fsevents for/);
});
