/** ServiceGroup, in its flat, v1 and v2 forms → Pool. */

import { type Cursor, type Reading, read } from './cursor.ts';
import { type Identity, readIdentity } from './identity.ts';
import type { KubeObject } from './kube-object.ts';
import { type LabelSelector, readLabelSelector } from './label-selector.ts';
import type { AnnounceMode, ConflictCheck, Pool, PoolScope, PoolSource } from './pool.ts';
import {
  isLegacyRange,
  noRanges,
  readClusterSource,
  readFlatSource,
} from './read-cluster-source.ts';
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
    'sharingScope',
    'withdrawWithoutEndpoints',
    'externalTrafficPolicy',
    'conflictCheck',
  );
  const name = at.name.string() ?? '';
  const localAnnounce = at.announce.oneOf(['auto', 'local']) ?? (isV1 ? 'auto' : 'local');
  const { isFlat, ...part } = readSource(spec, localAnnounce);
  return {
    identity,
    name: isFlat && name !== '' ? name : identity.name,
    ...part,
    scope: readScope(spec),
    sharingScope: at.sharingScope.oneOf(['Cluster', 'Namespace']) ?? 'Cluster',
    withdrawsWithoutEndpoints: at.withdrawWithoutEndpoints.boolean() ?? false,
    keepsLocalPolicy: at.externalTrafficPolicy.oneOf(['Cluster', 'Preserve']) === 'Preserve',
    conflictCheck: readConflictCheck(at.conflictCheck),
  };
}

type SourcePart = Pick<Pool, 'source' | 'announce' | 'placement' | 'skipsDad'> & {
  readonly isFlat: boolean;
};

const kinds = ['local', 'remote', 'netbox', 'external'] as const;
const usual = { placement: 'Sticky', skipsDad: false, isFlat: false } as const;

/** Only the first source is looked into: two of them are refused already. */
function readSource(spec: Cursor, localAnnounce: AnnounceMode): SourcePart {
  const at = spec.fields(...kinds, 'subnet', 'pool', 'aggregation');
  const isFlat = isLegacyRange(at);
  const given = kinds.filter((kind) => at[kind].isPresent);
  noteUnlessOne(spec, isFlat ? ['the flat form', ...given] : given);
  if (isFlat) return { ...usual, source: readFlatSource(spec), announce: 'auto', isFlat };
  const [kind] = given;
  if (kind === undefined) return { ...usual, source: noRanges, announce: localAnnounce };
  const cursor = at[kind];
  switch (kind) {
    case 'local':
      return { ...usual, ...readLocal(cursor), announce: localAnnounce };
    case 'remote':
      return { ...usual, source: readClusterSource(cursor, 'remote'), announce: 'remote' };
    case 'netbox':
      return { ...usual, source: readNetboxSource(cursor), announce: readAnnounce(cursor) };
    case 'external':
      return { ...usual, source: readExternalSource(cursor), announce: readAnnounce(cursor) };
    default:
      return kind satisfies never;
  }
}

function readLocal(cursor: Cursor): Pick<Pool, 'source' | 'placement' | 'skipsDad'> {
  const { placement, skipIPv6DAD } = cursor.fields('placement', 'skipIPv6DAD');
  return {
    source: readClusterSource(cursor, 'local'),
    placement: placement.oneOf(['Sticky', 'Hash']) ?? 'Sticky',
    skipsDad: skipIPv6DAD.boolean() ?? false,
  };
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
  if (!/^(\/|$|([^/:]+|\[[\da-f:.]+\]):\d{1,5}$)/i.test(socket)) {
    at.socket.refuse(`write an absolute path such as ${defaultSocket}, or host:port`);
  }
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
