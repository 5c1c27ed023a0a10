import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertSurvives } from './hostile.fixture.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, must } from './parsed.ts';
import { noRanges } from './read-cluster-source.ts';
import { readServiceGroup } from './read-service-group.ts';

const v4pool = { pool: '192.0.2.10-192.0.2.20', subnet: '192.0.2.0/24' };

function group(spec: unknown, apiVersion = 'purelb.io/v2'): KubeObject {
  return { apiVersion, kind: 'ServiceGroup', metadata: { name: 'lan', namespace: 'purelb' }, spec };
}

function problemsOf(spec: unknown): readonly string[] {
  const reading = readServiceGroup(group(spec));
  return isProblem(reading)
    ? reading.problems.map(({ path, message }) => `${path}: ${message}`)
    : [];
}

test('a group of one range has every default', () => {
  const pool = must(readServiceGroup(group({ local: { v4pool } })));
  assert.ok(pool.source.kind === 'cluster');
  assert.deepEqual(pool, {
    identity: {
      namespace: 'purelb',
      name: 'lan',
      uid: '',
      resourceVersion: '',
      generation: 0,
      createdAt: 0,
      isDeleting: false,
    },
    name: 'lan',
    announce: 'local',
    source: { ...noRanges, ranges: pool.source.ranges },
    scope: {
      namespaces: [],
      isEnforced: false,
      isNamespaceDefault: false,
      serviceSelector: undefined,
      namespaceSelector: undefined,
      priority: 0,
      autoAssigns: true,
    },
    sharingScope: 'Cluster',
    withdrawsWithoutEndpoints: false,
    keepsLocalPolicy: false,
    placement: 'Sticky',
    skipsDad: false,
    conflictCheck: { mode: 'Quick', waitMs: 20, keepsKernelDad: false, quarantineMs: 3_600_000 },
  });
});

test('how addresses are announced follows from the kind, the version and the field', () => {
  const netbox = { url: 'https://netbox.example', tenant: 'lb' };
  const rows: readonly (readonly [spec: unknown, version: string, announce: string])[] = [
    [{ local: { v4pool } }, 'purelb.io/v1', 'auto'],
    [{ local: { v4pool } }, 'purelb.io/v2', 'local'],
    [{ local: { v4pool }, announce: 'local' }, 'purelb.io/v1', 'local'],
    [{ local: { v4pool }, announce: 'auto' }, 'purelb.io/v2', 'auto'],
    [{ local: v4pool, announce: 'auto' }, 'purelb.io/v2', 'auto'],
    [{ remote: { v4pool }, announce: 'local' }, 'purelb.io/v2', 'remote'],
    [{ ...v4pool, announce: 'local' }, 'purelb.io/v2', 'auto'],
    [{ netbox, announce: 'local' }, 'purelb.io/v2', 'auto'],
    [{ netbox: { ...netbox, announce: 'remote' } }, 'purelb.io/v1', 'remote'],
    [{ external: { provider: 'x' }, announce: 'local' }, 'purelb.io/v2', 'auto'],
    [{ external: { provider: 'x', announce: 'local' } }, 'purelb.io/v2', 'local'],
  ];
  for (const [spec, version, announce] of rows) {
    assert.equal(
      must(readServiceGroup(group(spec, version))).announce,
      announce,
      JSON.stringify(spec),
    );
  }
});

test('only the flat form may have a name of its own', () => {
  const name = (spec: unknown) => must(readServiceGroup(group(spec, 'purelb.io/v1'))).name;
  assert.equal(name({ name: 'flat', ...v4pool }), 'flat');
  assert.equal(name({ name: '', ...v4pool }), 'lan');
  assert.equal(name(v4pool), 'lan');
  assert.equal(name({ name: 'other', local: { v4pool } }), 'lan');
});

test('who may have addresses is read as written', () => {
  const spec = {
    local: { v4pool, placement: 'Hash', skipIPv6DAD: true },
    namespaces: ['shop', 'shop', 'bank'],
    enforceNamespaces: true,
    namespaceDefault: true,
    serviceSelector: {},
    namespaceSelector: { matchLabels: { team: 'a' } },
    priority: -5,
    autoAssign: false,
    sharingScope: 'Namespace',
    withdrawWithoutEndpoints: true,
    externalTrafficPolicy: 'Preserve',
    conflictCheck: { mode: 'Full', wait: '50ms', kernelDAD: true, quarantine: '2h' },
  };
  const pool = must(readServiceGroup(group(spec)));
  assert.deepEqual(pool.scope, {
    namespaces: ['shop', 'shop', 'bank'],
    isEnforced: true,
    isNamespaceDefault: true,
    serviceSelector: [],
    namespaceSelector: [{ key: 'team', operator: 'In', values: ['a'] }],
    priority: -5,
    autoAssigns: false,
  });
  assert.deepEqual(
    [pool.placement, pool.skipsDad, pool.sharingScope, pool.withdrawsWithoutEndpoints],
    ['Hash', true, 'Namespace', true],
  );
  assert.equal(pool.keepsLocalPolicy, true);
  assert.deepEqual(pool.conflictCheck, {
    mode: 'Full',
    waitMs: 50,
    keepsKernelDad: true,
    quarantineMs: 7_200_000,
  });
});

test('an external group has a provider and a socket', () => {
  const source = (external: unknown) => must(readServiceGroup(group({ external }))).source;
  const usual = { kind: 'external', provider: 'x', socket: '/var/run/purelb/ipam.sock' };
  assert.deepEqual(source({ provider: 'x' }), usual);
  assert.deepEqual(source({ provider: 'x', socket: '' }), usual);
  for (const socket of ['/run/y', 'ipam.example:50051', '[2001:db8::7]:50051']) {
    assert.deepEqual(source({ provider: 'x', socket }), { ...usual, socket });
  }
});

test('what makes no sense is refused with what to do', () => {
  const rule = 'exactly one of local, remote, netbox, external';
  const rows: readonly (readonly [spec: unknown, ...problems: string[]])[] = [
    [{}, `spec: ${rule}: none is given`],
    [undefined, 'spec: is missing'],
    [{ local: { v4pool }, remote: { v4pool } }, `spec: ${rule}: local and remote are given`],
    [{ ...v4pool, local: { v4pool } }, `spec: ${rule}: the flat form and local are given`],
    [{ pool: v4pool.pool }, 'spec.subnet: is missing'],
    [
      { local: { v4pool }, announce: 'remote' },
      'spec.announce: "remote" is not one of auto, local',
    ],
    [
      { local: { v4pool, placement: 'sticky' } },
      'spec.local.placement: "sticky" is not one of Sticky, Hash: did you mean Sticky?',
    ],
    [
      { local: { v4pool }, enforceNamespaces: true, namespaceDefault: true },
      'spec.enforceNamespaces: requires a non-empty namespaces list',
      'spec.namespaceDefault: requires a non-empty namespaces list',
    ],
    [
      { external: { provider: '', socket: 'ipam.sock' } },
      'spec.external.provider: is empty: name the IPAM',
      'spec.external.socket: write an absolute path such as /var/run/purelb/ipam.sock, or host:port',
    ],
    [
      { external: { provider: 'x', announce: 'Local' } },
      'spec.external.announce: "Local" is not one of auto, local, remote: did you mean local?',
    ],
  ];
  for (const [spec, ...problems] of rows) assert.deepEqual(problemsOf(spec), problems);
});

test('misspelt fields are warned of, with what was meant', () => {
  const reading = readServiceGroup(group({ local: { v4pool, v4Pools: [], multipool: true } }));
  assert.deepEqual(reading.warnings, [
    {
      path: 'spec.local.v4Pools',
      message: 'is not a field that we know: did you mean v4pools?',
    },
    {
      path: 'spec.local.multipool',
      message: 'is not a field that we know: did you mean multiPool?',
    },
  ]);
});

test('no shape of object makes the reader fail', () => {
  assertSurvives(
    readServiceGroup,
    group({ name: 'flat', ...v4pool, aggregation: '/32' }, 'purelb.io/v1'),
    group({
      local: { v4pools: [{ ...v4pool, exclude: ['192.0.2.11'] }], v6pool: v4pool, multiPool: true },
      namespaces: ['a'],
      serviceSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
      conflictCheck: { mode: 'Full', wait: '1s' },
    }),
    group({
      netbox: {
        url: 'https://netbox.example',
        prefixes: ['192.0.2.0/24'],
        tokenSecretRef: { name: 'a' },
      },
    }),
    group({ external: { provider: 'x', socket: '/run/x' } }),
  );
});
