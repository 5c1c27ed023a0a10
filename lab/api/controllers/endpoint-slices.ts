/** Where the traffic of a Service with a selector goes: its pods, one list of slices per address family. */

import type { ApiObject } from '../api-object.ts';
import {
  equalJson,
  type Json,
  type JsonObject,
  listAt,
  objectAt,
  textAt,
  valueAt,
} from '../json.ts';
import { matchesLabels } from '../selectors/matches-selector.ts';
import { type Controller, itself, keyOfObject } from './controller.ts';
import type { Hands } from './hands.ts';
import { referenceTo } from './owners.ts';
import { isOver, isReady } from './pod-state.ts';

const sliceCollection = 'endpointslices.discovery.k8s.io';
const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';
const mostEndpoints = 100;

export const endpointSliceController: Controller = {
  name: 'endpointslice-controller',
  watches: {
    services: itself,
    pods: (pod, hands) =>
      hands
        .list('services', pod.metadata.namespace)
        .filter((service) => selects(service, pod))
        .map(keyOfObject),
    nodes: (_node, hands) => hands.list('services').filter(hasSelector).map(keyOfObject),
    [sliceCollection]: ({ metadata: { namespace = '', labels = {} } }) =>
      labels[managerLabel] === manager ? [`${namespace}/${labels[serviceLabel] ?? ''}`] : [],
  },
  reconcile: (hands, key) => {
    const service = hands.get('services', key);
    if (service === undefined || !hasSelector(service)) return undefined;
    if (service.metadata.deletionTimestamp !== undefined) return undefined;
    writeSlices(hands, service, wantedSlices(hands, service));
    return undefined;
  },
};

function hasSelector(service: ApiObject): boolean {
  const isNamed = textAt(service, 'spec', 'type') === 'ExternalName';
  return !isNamed && Object.keys(objectAt(service, 'spec', 'selector')).length > 0;
}

function selects(service: ApiObject, pod: ApiObject): boolean {
  const isSelecting = hasSelector(service);
  return isSelecting && matchesLabels(objectAt(service, 'spec', 'selector'), pod.metadata.labels);
}

interface WantedSlice {
  readonly addressType: string;
  readonly ports: JsonObject[];
  readonly endpoints: JsonObject[];
}

function wantedSlices(hands: Hands, service: ApiObject): readonly WantedSlice[] {
  const pods = hands
    .list('pods', service.metadata.namespace)
    .filter((pod) => selects(service, pod) && !isOver(pod) && podIps(pod).length > 0);
  return (listAt(service, 'spec', 'ipFamilies') as string[]).flatMap((addressType) => {
    const found = pods.flatMap((pod) => {
      const ip = podIps(pod).find((it) => it.includes(':') === (addressType === 'IPv6'));
      return ip === undefined ? [] : [{ endpoint: endpointOf(hands, service, pod, ip), pod }];
    });
    // Pods may give a named port different numbers.
    const groups = Map.groupBy(found, ({ pod }) => JSON.stringify(portsOf(service, pod)));
    if (groups.size === 0) return [{ addressType, ports: [], endpoints: [] }];
    return [...groups].flatMap(([ports, members]) =>
      chunks(members.map(({ endpoint }) => endpoint)).map((endpoints) => ({
        addressType,
        ports: JSON.parse(ports) as JsonObject[],
        endpoints,
      })),
    );
  });
}

function chunks(endpoints: readonly JsonObject[]): readonly JsonObject[][] {
  const count = Math.ceil(endpoints.length / mostEndpoints);
  return Array.from({ length: count }, (_, index) =>
    endpoints.slice(index * mostEndpoints, (index + 1) * mostEndpoints),
  );
}

function podIps(pod: ApiObject): readonly string[] {
  return listAt(pod, 'status', 'podIPs').map((it) => textAt(it, 'ip'));
}

function endpointOf(hands: Hands, service: ApiObject, pod: ApiObject, ip: string): JsonObject {
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  const nodeName = textAt(pod, 'spec', 'nodeName');
  const zone = hands.get('nodes', nodeName)?.metadata.labels?.['topology.kubernetes.io/zone'];
  const isTerminating = pod.metadata.deletionTimestamp !== undefined;
  const serving = isReady(pod);
  const isPublished = valueAt(service, 'spec', 'publishNotReadyAddresses') === true;
  return {
    addresses: [ip],
    conditions: {
      ready: isPublished || (serving && !isTerminating),
      serving,
      terminating: isTerminating,
    },
    ...(nodeName === '' ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    targetRef: { kind: 'Pod', namespace, name, uid },
  };
}

function portsOf(service: ApiObject, pod: ApiObject): readonly JsonObject[] {
  return listAt(service, 'spec', 'ports').flatMap((port) => {
    const number = targetOf(port, pod);
    const protocol = textAt(port, 'protocol') || 'TCP';
    const appProtocol = valueAt(port, 'appProtocol');
    const more = appProtocol === undefined ? {} : { appProtocol };
    return number === undefined
      ? []
      : [{ name: textAt(port, 'name'), protocol, port: number, ...more }];
  });
}

function targetOf(port: Json, pod: ApiObject): number | undefined {
  const target = valueAt(port, 'targetPort') ?? valueAt(port, 'port');
  if (typeof target === 'number') return target;
  const named = listAt(pod, 'spec', 'containers')
    .flatMap((container) => listAt(container, 'ports'))
    .find((it) => textAt(it, 'name') === target);
  const number = valueAt(named, 'containerPort');
  return typeof number === 'number' ? number : undefined;
}

/** Slices that are there already are filled first, so that names stay. */
function writeSlices(hands: Hands, service: ApiObject, wanted: readonly WantedSlice[]): void {
  const { namespace = '', name = '' } = service.metadata;
  const free = hands.list(sliceCollection, namespace).filter(({ metadata: { labels = {} } }) => {
    return labels[serviceLabel] === name && labels[managerLabel] === manager;
  });
  for (const slice of wanted) {
    const index = free.findIndex((it) => textAt(it, 'addressType') === slice.addressType);
    const [known] = index < 0 ? [] : free.splice(index, 1);
    if (known === undefined) createSlice(hands, service, slice);
    else updateSlice(hands, service, known, slice);
  }
  for (const surplus of free) hands.remove(sliceCollection, surplus);
}

function labelsOf(service: ApiObject): Record<string, string> {
  const isHeadless = textAt(service, 'spec', 'clusterIP') === 'None';
  return {
    ...service.metadata.labels,
    [serviceLabel]: service.metadata.name ?? '',
    [managerLabel]: manager,
    ...(isHeadless ? { 'service.kubernetes.io/headless': '' } : {}),
  };
}

function createSlice(hands: Hands, service: ApiObject, slice: WantedSlice): void {
  const { namespace = '', name = '' } = service.metadata;
  hands.create(sliceCollection, namespace, {
    metadata: {
      generateName: `${name}-`,
      labels: labelsOf(service),
      ownerReferences: [{ ...referenceTo(service), apiVersion: 'v1', kind: 'Service' }],
    },
    ...slice,
  });
}

function updateSlice(
  hands: Hands,
  service: ApiObject,
  known: ApiObject,
  { endpoints, ports }: WantedSlice,
): void {
  const labels = labelsOf(service);
  const isSame =
    equalJson(known['endpoints'], endpoints) &&
    equalJson(listAt(known, 'ports') as Json[], ports) &&
    equalJson(known.metadata.labels, labels);
  if (isSame) return;
  hands.replace(sliceCollection, known, (copy) => {
    copy.metadata.labels = labels;
    copy['endpoints'] = endpoints;
    copy['ports'] = ports;
  });
}
