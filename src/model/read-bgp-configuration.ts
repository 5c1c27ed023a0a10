/** BGPConfiguration → BgpConfig. Fields that we do not carry out are problems: nothing is accepted and then ignored. */

import type { BgpConfig, BgpPolicy } from './bgp-config.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { readIdentity } from './identity.ts';
import type { KubeObject } from './kube-object.ts';
import { nearest } from './nearest.ts';
import { parsePrefix } from './prefix.ts';
import { readAllowedAttributes } from './read-bgp-allowed.ts';
import { readDefinedSet } from './read-bgp-defined-set.ts';
import { readBgpGlobal } from './read-bgp-global.ts';
import { readNetlinkExport, readNetlinkImport, readVrf } from './read-bgp-netlink.ts';
import { readBgpPolicy } from './read-bgp-policy.ts';
import { readNeighbor, readPeerGroup } from './read-bgp-session.ts';

export function readBgpConfiguration(object: KubeObject): Reading<BgpConfig> {
  return read(object, (root) => {
    const { metadata, spec } = root.fields('metadata', 'spec');
    const at = spec
      .required()
      .whole()
      .fields(
        'global',
        'neighbors',
        'peerGroups',
        'dynamicNeighbors',
        'vrfs',
        'policyDefinitions',
        'definedSets',
        'netlinkImport',
        'netlinkExport',
        'serviceAttributes',
      );
    const config: BgpConfig = {
      identity: readIdentity(metadata),
      global: readBgpGlobal(at.global.required()),
      neighbors: at.neighbors.items().map(readNeighbor),
      peerGroups: at.peerGroups.items().map(readPeerGroup),
      dynamicNeighbors: at.dynamicNeighbors.items().flatMap((item) => readDynamic(item) ?? []),
      vrfs: at.vrfs.items().map(readVrf),
      policies: at.policyDefinitions.items().map(readBgpPolicy),
      definedSets: at.definedSets.items().map(readDefinedSet),
      netlinkImport: readNetlinkImport(at.netlinkImport),
      netlinkExport: readNetlinkExport(at.netlinkExport),
      serviceAttributes: readAllowedAttributes(at.serviceAttributes),
    };
    noteMissing(spec, config);
    return config;
  });
}

function readDynamic(cursor: Cursor): BgpConfig['dynamicNeighbors'][number] | undefined {
  const at = cursor.fields('prefix', 'peerGroup');
  const prefix = at.prefix.required().parse(parsePrefix);
  const peerGroup = at.peerGroup.required().string() ?? '';
  return prefix === undefined ? undefined : { prefix, peerGroup };
}

/** A name that nothing answers to: a policy or a set that is missing would let every route through, or none. */
function noteMissing(spec: Cursor, config: BgpConfig): void {
  const groups = config.peerGroups.map(({ name }) => name);
  for (const { peerGroup } of [...config.neighbors, ...config.dynamicNeighbors]) {
    if (peerGroup !== undefined)
      note(spec, { kind: 'peer group', name: peerGroup, known: groups, isFatal: false });
  }
  const policies = config.policies.map(({ name }) => name);
  for (const name of appliedPolicies(config)) {
    note(spec, { kind: 'policy', name, known: policies, isFatal: true });
  }
  const sets = config.definedSets.map(({ name }) => name);
  for (const name of config.policies.flatMap(namedSets)) {
    note(spec, { kind: 'defined set', name, known: sets, isFatal: true });
  }
}

function appliedPolicies({ global, neighbors, peerGroups }: BgpConfig): readonly string[] {
  return [global, ...neighbors, ...peerGroups].flatMap(({ policy }) => [
    ...(policy?.import?.policies ?? []),
    ...(policy?.export?.policies ?? []),
  ]);
}

function namedSets({ statements }: BgpPolicy): readonly string[] {
  return statements.flatMap(({ conditions }) => conditions.sets.map(({ name }) => name));
}

interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly known: readonly string[];
  readonly isFatal: boolean;
}

function note(spec: Cursor, { kind, name, known, isFatal }: Reference): void {
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  const message = `there is no ${kind} called "${name}"${meant === undefined ? '' : `: did you mean ${meant}?`}`;
  if (isFatal) spec.refuse(message);
  else spec.warn(message);
}
