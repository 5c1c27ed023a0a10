/** What the agent of node1 does all day: none of it may be refused. In order, each after the one before. */

import { lease, leases } from './admission-world.ts';
import {
  annotate,
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
  speaker,
  speakers,
  status,
} from './requests.ts';

const node1 = { apiVersion: 'v1', kind: 'Node', name: 'node1', uid: '1' };

export const honestAgent: readonly Row[] = [
  { name: 'lists Services', request: get('/api/v1/services') },
  { name: 'lists Leases', request: get(leases) },
  {
    name: 'joins',
    request: post(leases, lease('node1', { ownerReferences: [node1] })),
  },
  {
    name: 'claims an address that a dead node had, and says so',
    request: status({
      metadata: {
        annotations: {
          'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.100',
          'purelb.io/added-to': 'node1/eth0',
          'purelb.io/move': '2001:db8::1=node2',
        },
      },
      status: {
        conditions: [
          {
            ...{ type: 'Announced', status: 'True', reason: 'Announced', message: 'by node1' },
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    }),
  },
  { name: 'says that an address answers', request: condition('Reachable') },
  {
    name: 'takes a condition of agents off',
    request: status({ status: { conditions: [{ type: 'Reachable', $patch: 'delete' }] } }),
  },
  {
    name: 'takes off all that it wrote',
    request: annotate({
      'purelb.io/announcing-IPv4': null,
      'purelb.io/added-to': null,
    }),
  },
  { name: 'makes its BGPNodeStatus', request: post(speakers, speaker('node1')) },
  {
    name: 'writes its BGPNodeStatus',
    request: merge(`${speakers}/node1/status`, { status: { nodeName: 'node1', neighborCount: 0 } }),
  },
  { name: 'reports an Event', request: post(events, event('own', 'node1')) },
  {
    name: 'counts an Event again',
    request: merge(`${events}/own`, {
      series: { count: 2, lastObservedTime: '2026-01-01T00:00:00.000000Z' },
    }),
  },
  {
    name: 'writes which nodes use a configuration',
    request: merge(`${purelb}/lbnodeagents/default/status`, { status: {} }),
  },
  {
    name: 'asks whether its DaemonSet is being deleted',
    request: get('/apis/apps/v1/namespaces/purelb-system/daemonsets/lbnodeagent'),
  },
  {
    name: 'reads the Secret with the passwords of BGP by its name',
    request: get(`${secrets}?fieldSelector=metadata.name%3Dbgp`),
  },
  { name: 'leaves', request: remove(`${leases}/purelb-node-node1`) },
];
