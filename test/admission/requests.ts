/** What rows are made of: requests, and the objects that are there before anybody tries anything. */

import type { ApiRequest } from '../../lab/control-plane/api-client.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { lease, netboxGroup, plainService } from './admission-world.ts';

export interface Row {
  readonly name: string;
  readonly request: ApiRequest;
  /** What the refusal says; absent where the request must be granted. */
  readonly refused?: RegExp;
}

export const services = '/api/v1/namespaces/shop/services';
export const secrets = '/api/v1/namespaces/purelb-system/secrets';
export const events = '/apis/events.k8s.io/v1/namespaces/shop/events';
export const speakers = '/apis/bgp.purelb.io/v1/bgpnodestatuses';
export const purelb = '/apis/purelb.io/v2/namespaces/purelb-system';
export const byRole = /cannot \w+ resource/;

export const get = (path: string): ApiRequest => ({ method: 'GET', path });
export const post = (path: string, body: object): ApiRequest => ({ method: 'POST', path, body });
export const remove = (path: string): ApiRequest => ({ method: 'DELETE', path });
export const merge = (path: string, body: object): ApiRequest => ({ method: 'PATCH', path, body });
export const status = (body: object): ApiRequest => ({
  ...merge(`${services}/web/status`, body),
  patch: 'strategic-merge',
});
export const annotate = (annotations: Readonly<Record<string, string | null>>) =>
  status({ metadata: { annotations } });
export const condition = (type: string) =>
  status({ status: { conditions: [{ type, status: 'True', reason: 'X', message: '' }] } });

export function event(
  name: string,
  instance: string,
  controller = 'purelb-lbnodeagent',
): KubeObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: 'shop' },
    ...{ eventTime: '2026-01-01T00:00:00.000000Z', type: 'Normal', reason: 'X', action: 'X' },
    ...{ note: '', reportingController: controller, reportingInstance: instance },
    regarding: { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web' },
  };
}

export function speaker(name: string): KubeObject {
  return { apiVersion: 'bgp.purelb.io/v1', kind: 'BGPNodeStatus', metadata: { name }, spec: {} };
}

/** Of the Service `web`: the allocator gave it an address, and node2 announces it. */
export const served = {
  'purelb.io/allocated-by': 'PureLB',
  'purelb.io/allocated-from': 'default',
  'purelb.io/announcing-IPv4': 'node2,eth0,192.0.2.100',
  'purelb.io/added-to': 'node2/eth0',
  'purelb.io/move': '192.0.2.100 = node1, 2001:DB8:0::1=node2',
};
const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
const ingress = [{ ip: '192.0.2.100', ipMode: 'VIP' }];
const allocated = { type: 'Allocated', status: 'True', reason: 'Allocated', message: '' };

/** What is there before anybody tries anything. */
export const objects: readonly KubeObject[] = [
  {
    ...plainService('web', { annotations: served, finalizers, labels: { app: 'web' } }),
    status: {
      loadBalancer: { ingress },
      conditions: [{ ...allocated, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  },
  lease('node2'),
  speaker('node2'),
  event('foreign', 'kubelet-1', 'kubelet'),
  ...['netbox-client', 'bgp'].map(
    (name): KubeObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'purelb-system' },
    }),
  ),
  {
    apiVersion: 'purelb.io/v2',
    kind: 'LBNodeAgent',
    metadata: { name: 'default', namespace: 'purelb-system' },
    spec: { local: {} },
  },
  netboxGroup('default', { finalizers: ['example.com/hold'], labels: { site: 'one' } }),
  plainService('foreign', {}, { loadBalancerClass: 'example.com/other' }),
  plainService('classed', {}, { loadBalancerClass: 'purelb.io/purelbv2' }),
  plainService('held', { finalizers: ['example.com/hold'] }),
];
