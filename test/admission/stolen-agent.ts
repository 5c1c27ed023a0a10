/** What is tried with the token of node1's agent by somebody who stole it, and how each is refused. */

import { lease, leases, plainService } from './admission-world.ts';
import {
  annotate,
  byRole,
  condition,
  event,
  events,
  get,
  merge,
  post,
  purelb,
  type Row,
  remove,
  secrets,
  services,
  speaker,
  speakers,
  status,
} from './requests.ts';

export const stolenAgent: readonly Row[] = [
  {
    name: "renews another node's Lease",
    request: merge(`${leases}/purelb-node-node2`, { spec: { leaseDurationSeconds: 3600 } }),
    refused: byRole,
  },
  {
    name: "replaces another node's Lease",
    request: { method: 'PUT', path: `${leases}/purelb-node-node2`, body: lease('node2') },
    refused: /the agent of node1 writes the Lease purelb-node-node1 alone/,
  },
  {
    name: 'makes a member that does not exist',
    request: post(leases, lease('node3')),
    refused: /the agent of node1 writes the Lease purelb-node-node1 alone/,
  },
  {
    name: "deletes another node's Lease",
    request: remove(`${leases}/purelb-node-node2`),
    refused: /the agent of node1 writes the Lease purelb-node-node1 alone/,
  },
  {
    name: "takes the allocator's lead",
    request: {
      method: 'PUT',
      path: `${leases}/purelb-allocator`,
      body: { ...lease('node1'), metadata: { name: 'purelb-allocator' } },
    },
    refused: /the agent of node1 writes the Lease purelb-node-node1 alone/,
  },
  {
    name: "holds its own Lease in another's name",
    request: post(leases, lease('node1', {}, 'node2')),
    refused: /names this node as its holder/,
  },
  {
    name: "lets its own Lease go with another's Node",
    request: post(
      leases,
      lease('node1', {
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'node2', uid: '1' }],
      }),
    ),
    refused: /belongs to its own Node/,
  },
  {
    name: "renews a kubelet's Lease",
    request: post('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases', {
      ...lease('node1'),
      metadata: { name: 'node2' },
    }),
    refused: byRole,
  },
  {
    name: "writes another node's BGPNodeStatus",
    request: merge(`${speakers}/node2/status`, { status: { nodeName: 'node2', neighborCount: 0 } }),
    refused: /the agent of node1 writes the BGPNodeStatus node1 alone/,
  },
  {
    name: 'makes a BGPNodeStatus of another node',
    request: post(speakers, speaker('node3')),
    refused: /the agent of node1 writes the BGPNodeStatus node1 alone/,
  },
  {
    name: 'gives a Service another address',
    request: status({ status: { loadBalancer: { ingress: [{ ip: '198.51.100.1' }] } } }),
    refused: /an agent does not change the addresses/,
  },
  {
    name: "takes a Service's address away",
    request: status({ status: { loadBalancer: { ingress: null } } }),
    refused: /an agent does not change the addresses/,
  },
  {
    name: 'says that an address was allocated',
    request: condition('Allocated'),
    refused: /an agent writes Announced and Reachable/,
  },
  {
    name: 'says a condition of somebody else',
    request: condition('example.com/Ready'),
    refused: /an agent writes Announced and Reachable/,
  },
  {
    name: 'gives a Service to another group',
    request: annotate({ 'purelb.io/allocated-from': 'other' }),
    refused: /those that say who announces it/,
  },
  {
    name: 'forges the prefixes of a Service',
    request: annotate({ 'purelb.io/allocated-prefixes': '192.0.0.0/8' }),
    refused: /those that say who announces it/,
  },
  {
    name: "takes the allocator's brand off",
    request: annotate({ 'purelb.io/allocated-by': null }),
    refused: /those that say who announces it/,
  },
  {
    name: "asks for an address in a tenant's place",
    request: annotate({ 'purelb.io/addresses': '192.0.2.101' }),
    refused: /those that say who announces it/,
  },
  {
    name: 'writes an annotation of another controller',
    request: annotate({ 'external-dns.alpha.kubernetes.io/hostname': 'bank.example' }),
    refused: /those that say who announces it/,
  },
  {
    name: 'announces in the name of another node',
    request: annotate({ 'purelb.io/announcing-IPv4': 'node3,eth0,192.0.2.100' }),
    refused: /the agent of node1 writes slots of its own node alone/,
  },
  {
    name: 'announces in the name of a node whose name begins alike',
    request: annotate({ 'purelb.io/announcing-IPv6': 'node11,eth0,2001:db8::1' }),
    refused: /the agent of node1 writes slots of its own node alone/,
  },
  {
    name: 'says that another node has the first address',
    request: annotate({ 'purelb.io/added-to': 'node3/eth0' }),
    refused: /writes purelb.io\/added-to of its own node alone/,
  },
  {
    name: 'reports a conflict on a Service, where reports of others once were',
    request: annotate({
      'purelb.io/conflict': '192.0.2.100,02:00:00:00:00:01,node2,2026-01-01T00:00:00Z',
    }),
    refused: /those that say who announces it/,
  },
  {
    name: 'takes off a move to another node',
    request: annotate({ 'purelb.io/move': '192.0.2.100=node3' }),
    refused: /strikes out moves to its own node alone/,
  },
  {
    name: 'changes the labels of a Service',
    request: status({ metadata: { labels: { app: 'other' } } }),
    refused: /does not change the labels, finalizers or owners/,
  },
  {
    name: "takes a Service's finalizer off",
    request: { ...status({ metadata: { finalizers: [] } }), patch: 'merge' },
    refused: /does not change the labels, finalizers or owners/,
  },
  {
    name: 'makes a Service go with an object of its own',
    request: status({
      metadata: {
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '1' }],
      },
    }),
    refused: /does not change the labels, finalizers or owners/,
  },
  {
    name: "reports another node's Event",
    request: post(events, event('forged', 'node2')),
    refused: /an agent writes the Events that it reports itself/,
  },
  {
    name: "counts a kubelet's Event again",
    request: merge(`${events}/foreign`, {
      series: { count: 9, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    }),
    refused: /an agent writes the Events that it reports itself/,
  },
  { name: 'changes a Service', request: merge(`${services}/web`, { spec: {} }), refused: byRole },
  { name: 'deletes a Service', request: remove(`${services}/web`), refused: byRole },
  { name: 'makes a Service', request: post(services, plainService('new')), refused: byRole },
  { name: 'reads all Secrets', request: get(secrets), refused: byRole },
  {
    name: 'watches all Secrets',
    request: get(`${secrets}?watch=true&timeoutSeconds=1`),
    refused: byRole,
  },
  {
    name: 'lists a Secret that its role does not name',
    request: get(`${secrets}?fieldSelector=metadata.name%3Dnetbox-client`),
    refused: byRole,
  },
  { name: "reads Netbox's token", request: get(`${secrets}/netbox-client`), refused: byRole },
  {
    name: 'reads the key of the peers',
    request: get(`${secrets}/purelb-peer-key`),
    refused: byRole,
  },
  {
    name: "gets the allocator's token",
    request: post('/api/v1/namespaces/purelb-system/serviceaccounts/allocator/token', {}),
    refused: byRole,
  },
  {
    name: 'changes the pools',
    request: merge(`${purelb}/servicegroups/default`, { spec: {} }),
    refused: byRole,
  },
  {
    name: 'changes the configuration of agents',
    request: merge(`${purelb}/lbnodeagents/default`, { spec: {} }),
    refused: byRole,
  },
  {
    name: 'taints a Node',
    request: merge('/api/v1/nodes/node2', { spec: { unschedulable: true } }),
    refused: byRole,
  },
  {
    name: 'changes what agents run',
    request: merge('/apis/apps/v1/namespaces/purelb-system/daemonsets/lbnodeagent', {}),
    refused: byRole,
  },
  {
    name: 'takes the policy away',
    request: remove(
      '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/purelb-agent-services',
    ),
    refused: byRole,
  },
];
