/** ServiceGroup, in its flat, v1 and v2 forms → Pool. */

import { type Cursor, type Reading, read } from './cursor.ts';
import { type Identity, readIdentity } from './identity.ts';
import type { KubeObject } from './kube-object.ts';
import { type LabelSelector, readLabelSelector } from './label-selector.ts';
import type { AnnounceMode, ConflictCheck, Pool, PoolScope, PoolSource } from './pool.ts';
import { noRanges, readClusterSource, readFlatSource } from './read-cluster-source.ts';
import { readDuration } from './read-duration.ts';
import { readNetboxSource } from './read-netbox-source.ts';

export function readServiceGroup(object: KubeObject): Reading<Pool> {
  return read(object, (root) => {
    const { apiVersion, metadata, spec } = root.fields('apiVersion', 'metadata', 'spec');
    const isV1 = apiVersion.string()?.endsWith('/v1') ?? false;
    return readPool(readIdentity(metadata), spec.required().whole(), isV1);
  });
}

function readPool(identity: Identity, spec: Cursor, isV1: boolean): Pool {
  const at = spec.fields(
    'name',
    'announce',
    'local',
    'sharingScope',
    'withdrawWithoutEndpoints',
    'conflictCheck',
  );
  const { placement, skipIPv6DAD } = at.local.fields('placement', 'skipIPv6DAD');
  const name = at.name.string() ?? '';
  const groupAnnounce = at.announce.oneOf(['auto', 'local']) ?? (isV1 ? 'auto' : 'local');
  const { source, announce, isFlat } = readSource(spec, groupAnnounce);
  return {
    identity,
    name: isFlat && name !== '' ? name : identity.name,
    announce,
    source,
    scope: readScope(spec),
    sharingScope: at.sharingScope.oneOf(['Cluster', 'Namespace']) ?? 'Cluster',
    withdrawsWithoutEndpoints: at.withdrawWithoutEndpoints.boolean() ?? false,
    placement: placement.oneOf(['Sticky', 'Hash']) ?? 'Sticky',
    skipsDad: skipIPv6DAD.boolean() ?? false,
    conflictCheck: readConflictCheck(at.conflictCheck),
  };
}

interface SourceAndAnnounce {
  readonly source: PoolSource;
  readonly announce: AnnounceMode;
  readonly isFlat: boolean;
}

const kinds = ['local', 'remote', 'netbox', 'external'] as const;

function readSource(spec: Cursor, localAnnounce: AnnounceMode): SourceAndAnnounce {
  const at = spec.fields(...kinds, 'subnet', 'pool', 'aggregation');
  const isFlat = at.pool.isPresent || at.subnet.isPresent;
  const given = kinds.filter((kind) => at[kind].isPresent);
  noteUnlessOne(spec, isFlat ? ['the flat form', ...given] : given);
  if (isFlat) return { source: readFlatSource(spec), announce: 'auto', isFlat };
  const [kind] = given;
  if (kind === undefined) return { source: noRanges, announce: localAnnounce, isFlat };
  switch (kind) {
    case 'local':
      return { source: readClusterSource(at.local, 'local'), announce: localAnnounce, isFlat };
    case 'remote':
      return { source: readClusterSource(at.remote, 'remote'), announce: 'remote', isFlat };
    case 'netbox':
      return { source: readNetboxSource(at.netbox), announce: readAnnounce(at.netbox), isFlat };
    case 'external':
      return {
        source: readExternalSource(at.external),
        announce: readAnnounce(at.external),
        isFlat,
      };
    default:
      return kind satisfies never;
  }
}

function noteUnlessOne(spec: Cursor, given: readonly string[]): void {
  const rule = 'exactly one of local, remote, netbox, external';
  if (given.length === 0 && spec.isPresent) spec.refuse(`${rule}: none is given`);
  if (given.length > 1) spec.refuse(`${rule}: ${given.join(' and ')} are given`);
}

function readAnnounce(cursor: Cursor): AnnounceMode {
  return cursor.fields('announce').announce.oneOf(['auto', 'local', 'remote']) ?? 'auto';
}

const defaultSocket = '/var/run/purelb/ipam.sock';

function readExternalSource(cursor: Cursor): PoolSource {
  const at = cursor.fields('provider', 'socket');
  const provider = at.provider.required().string();
  if (provider === '') at.provider.refuse('is empty: name the IPAM');
  const socket = at.socket.string() ?? '';
  if (!/^(\/|$)/.test(socket)) at.socket.refuse(`write an absolute path such as ${defaultSocket}`);
  return {
    kind: 'external',
    provider: provider ?? '',
    socket: socket === '' ? defaultSocket : socket,
  };
}

function readScope(spec: Cursor): PoolScope {
  const at = spec.fields(
    'namespaces',
    'enforceNamespaces',
    'namespaceDefault',
    'serviceSelector',
    'namespaceSelector',
    'priority',
    'autoAssign',
  );
  const namespaces = at.namespaces.items().flatMap((item) => item.string() ?? []);
  for (const flag of [at.enforceNamespaces, at.namespaceDefault]) {
    if (namespaces.length === 0 && flag.boolean() === true)
      flag.refuse('requires a non-empty namespaces list');
  }
  return {
    namespaces,
    isEnforced: at.enforceNamespaces.boolean() ?? false,
    isNamespaceDefault: at.namespaceDefault.boolean() ?? false,
    serviceSelector: readSelector(at.serviceSelector),
    namespaceSelector: readSelector(at.namespaceSelector),
    priority: at.priority.integer({ min: -1000, max: 1000 }) ?? 0,
    autoAssigns: at.autoAssign.boolean() ?? true,
  };
}

/** A selector that is there matches better than none, even if it matches everything. */
function readSelector(cursor: Cursor): LabelSelector | undefined {
  return cursor.isPresent ? readLabelSelector(cursor) : undefined;
}

function readConflictCheck(cursor: Cursor): ConflictCheck {
  const at = cursor.fields('mode', 'wait', 'kernelDAD', 'quarantine');
  return {
    mode: at.mode.oneOf(['Quick', 'Full', 'Off']) ?? 'Quick',
    waitMs: readDuration(at.wait, { from: '1ms', to: '5s', usual: '20ms' }),
    keepsKernelDad: at.kernelDAD.boolean() ?? false,
    quarantineMs: readDuration(at.quarantine, { from: '1m', to: '720h', usual: '1h' }),
  };
}
