/** What the allocator does, and what somebody tries who stole its token. */

import { lease, leases, netboxGroup, plainService } from './admission-world.ts';
import {
  get,
  merge,
  post,
  purelb,
  type Row,
  remove,
  secrets,
  services,
  status,
} from './requests.ts';

const web = `${services}/web`;
const group = `${purelb}/servicegroups/default`;
const finalizers = (...names: readonly string[]) =>
  merge(group, { metadata: { finalizers: names } });
const secret = (name: string, type?: string, annotations?: object) =>
  post(secrets, { metadata: { name, annotations }, ...(type === undefined ? {} : { type }) });

export const honestAllocator: readonly Row[] = [
  {
    name: 'gives an address',
    request: merge(`${web}/status`, {
      metadata: {
        annotations: {
          'purelb.io/allocated-from': 'other',
          'purelb.io/allocated-prefixes': '192.0.2.100/24',
          'purelb.io/announcing-IPv4': null,
          'purelb.io/re-evaluate': null,
        },
        finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
      },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.101', ipMode: 'VIP' }] } },
    }),
  },
  {
    name: 'rewrites externalTrafficPolicy, which gives the Service a health check port',
    request: merge(web, { spec: { externalTrafficPolicy: 'Local' } }),
  },
  {
    name: 'rewrites externalTrafficPolicy back',
    request: merge(web, { spec: { externalTrafficPolicy: 'Cluster' } }),
  },
  {
    name: 'takes an address back',
    request: merge(`${web}/status`, {
      metadata: { finalizers: null, annotations: { 'purelb.io/allocated-by': null } },
      status: { loadBalancer: { ingress: null }, conditions: [] },
    }),
  },
  {
    name: 'keeps a group until its records are returned',
    request: finalizers('example.com/hold', 'purelb.io/release-records'),
  },
  { name: 'lets a group go', request: finalizers('example.com/hold') },
  {
    name: 'says how a group stands',
    request: merge(`${group}/status`, { status: { allocatedIPv4: 1 } }),
  },
  {
    name: 'takes the lead',
    request: post(leases, { ...lease('x'), metadata: { name: 'purelb-allocator' } }),
  },
  { name: 'makes the key of the peers', request: secret('purelb-peer-key') },
  { name: 'reads the key of the peers', request: get(`${secrets}/purelb-peer-key`) },
];

const oneSecret = /the allocator writes one Secret/;
const byRole = /cannot \w+ resource/;

export const stolenAllocator: readonly Row[] = [
  {
    name: "changes a Service's selector",
    request: merge(web, { spec: { selector: { app: 'mine' } } }),
    refused: /changes externalTrafficPolicy alone/,
  },
  {
    name: 'adds a port to a Service',
    request: merge(web, { spec: { ports: [{ port: 22 }] } }),
    refused: /changes externalTrafficPolicy alone/,
  },
  {
    name: "changes a Service's type",
    request: merge(web, { spec: { type: 'NodePort' } }),
    refused: /changes externalTrafficPolicy alone/,
  },
  {
    name: 'gives a Service external addresses',
    request: merge(web, { spec: { externalIPs: ['192.0.2.1'] } }),
    refused: /changes externalTrafficPolicy alone/,
  },
  {
    name: "changes a Service's labels",
    request: status({ metadata: { labels: { app: 'other' } } }),
    refused: /does not change the labels or owners/,
  },
  {
    name: "takes another controller's finalizer off",
    request: merge(`${services}/held/status`, { metadata: { finalizers: [] } }),
    refused: /of the finalizers of a Service/,
  },
  {
    name: 'writes an annotation of another controller',
    request: status({ metadata: { annotations: { 'example.com/a': 'b' } } }),
    refused: /of the annotations of a Service/,
  },
  {
    name: 'writes an annotation of PureLB beside the status',
    request: merge(web, { metadata: { annotations: { 'purelb.io/addresses': '192.0.2.9' } } }),
    refused: /of the annotations of a Service/,
  },
  {
    name: "says another controller's condition",
    request: status({
      status: { conditions: [{ type: 'example.com/A', status: 'True', reason: 'X', message: '' }] },
    }),
    refused: /of the conditions of a Service/,
  },
  {
    name: 'sends the requests of a group to another Netbox',
    request: merge(group, { spec: { netbox: { url: 'https://mine.example' } } }),
    refused: /does not change the spec of a ServiceGroup/,
  },
  {
    name: "changes a group's labels",
    request: merge(group, { metadata: { labels: { site: 'two' } } }),
    refused: /does not change the labels, annotations or owners of a ServiceGroup/,
  },
  {
    name: "changes a group's annotations",
    request: merge(group, { metadata: { annotations: { 'example.com/a': 'b' } } }),
    refused: /does not change the labels, annotations or owners of a ServiceGroup/,
  },
  {
    name: "takes another controller's finalizer off a group",
    request: finalizers('purelb.io/release-records'),
    refused: /of the finalizers of a ServiceGroup/,
  },
  {
    name: 'holds a group with a finalizer of its own making',
    request: finalizers('example.com/hold', 'example.com/forever'),
    refused: /of the finalizers of a ServiceGroup/,
  },
  {
    name: 'makes a group',
    request: post(`${purelb}/servicegroups`, netboxGroup('mine')),
    refused: byRole,
  },
  { name: 'deletes a group', request: remove(group), refused: byRole },
  { name: 'makes another Secret', request: secret('mine'), refused: oneSecret },
  {
    name: "makes a Secret that gets the agents' token",
    request: secret('purelb-peer-key', 'kubernetes.io/service-account-token', {
      'kubernetes.io/service-account.name': 'lbnodeagent',
    }),
    refused: /of the type Opaque/,
  },
  { name: 'makes a member', request: post(leases, lease('node3')), refused: /writes one Lease/ },
  { name: 'reads all Secrets', request: get(secrets), refused: byRole },
  { name: 'makes a Service', request: post(services, plainService('new')), refused: byRole },
  { name: 'deletes a Service', request: remove(web), refused: byRole },
];
