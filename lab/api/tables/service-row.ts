import type { ApiObject } from '../api-object.ts';
import { type Json, listAt, objectAt, textAt, valueAt } from '../json.ts';
import {
  ageColumn,
  ageOf,
  column,
  firstThree,
  formatLabels,
  type Layout,
  nameColumn,
  nameOf,
  orNone,
  wide,
} from './column.ts';

export const serviceLayout: Layout = {
  columns: [
    nameColumn,
    ...['Type', 'Cluster-IP', 'External-IP', 'Port(s)'].map((name) => column(name)),
    ageColumn,
    wide('Selector'),
  ],
  cells: (service, now) => [
    nameOf(service),
    textAt(service, 'spec', 'type'),
    String(listAt(service, 'spec', 'clusterIPs')[0] ?? '<none>'),
    externalIp(service),
    orNone(listAt(service, 'spec', 'ports').map(formatPort).join(',')),
    ageOf(service, now),
    formatLabels(objectAt(service, 'spec', 'selector')),
  ],
};

function formatPort(port: Json): string {
  const nodePort = valueAt(port, 'nodePort');
  const shown = `${String(valueAt(port, 'port'))}${nodePort ? `:${String(nodePort)}` : ''}`;
  return `${shown}/${textAt(port, 'protocol')}`;
}

function externalIp(service: ApiObject): string {
  const own = listAt(service, 'spec', 'externalIPs') as string[];
  switch (textAt(service, 'spec', 'type')) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(own.join(','));
    case 'LoadBalancer':
      return [...ingressOf(service), ...own].join(',') || '<pending>';
    case 'ExternalName':
      return textAt(service, 'spec', 'externalName');
    default:
      return '<unknown>';
  }
}

function ingressOf(service: ApiObject): readonly string[] {
  const names = listAt(service, 'status', 'loadBalancer', 'ingress')
    .map((it) => textAt(it, 'ip') || textAt(it, 'hostname'))
    .filter((it) => it !== '');
  return [...new Set(names)].sort();
}

export const endpointSliceLayout: Layout = {
  columns: [
    nameColumn,
    ...['AddressType', 'Ports', 'Endpoints'].map((name) => column(name)),
    ageColumn,
  ],
  cells: (slice, now) => [
    nameOf(slice),
    textAt(slice, 'addressType'),
    orUnset(listAt(slice, 'ports').map(formatSlicePort)),
    orUnset(listAt(slice, 'endpoints').flatMap((it) => listAt(it, 'addresses') as string[])),
    ageOf(slice, now),
  ],
};

function formatSlicePort(port: Json): string {
  return String(valueAt(port, 'port') ?? valueAt(port, 'name') ?? '*');
}

function orUnset(texts: readonly string[]): string {
  return texts.length === 0 ? '<unset>' : firstThree(texts);
}

export const endpointsLayout: Layout = {
  columns: [nameColumn, column('Endpoints'), ageColumn],
  cells: (endpoints, now) => {
    const subsets = listAt(endpoints, 'subsets');
    const shown = subsets.length === 0 ? '<none>' : firstThree(subsets.flatMap(formatSubset));
    return [nameOf(endpoints), shown, ageOf(endpoints, now)];
  },
};

function formatSubset(subset: Json): readonly string[] {
  const ips = listAt(subset, 'addresses').map((it) => textAt(it, 'ip'));
  const ports = listAt(subset, 'ports');
  if (ports.length === 0) return ips;
  return ports.flatMap((port) =>
    ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${String(valueAt(port, 'port'))}`),
  );
}
