import type { Ip } from '../../src/model/ip.ts';
import type { ClusterFacts, NodeFacts, ServiceFacts, TrafficFacts } from './cluster-facts.ts';

export const ip = (text: string) => text as Ip;

export function node(number: number, changes: Partial<NodeFacts> = {}): NodeFacts {
  return {
    name: `node${number}`,
    lan: number < 4 ? 'lan1' : 'lan2',
    ip: ip(`192.0.2.${10 + number}`),
    power: 'on',
    cable: 'in',
    agent: 'running',
    isReady: true,
    isCordoned: false,
    pods: 1,
    holds: [],
    ...changes,
  };
}

export function service(changes: Partial<ServiceFacts> = {}): ServiceFacts {
  return {
    key: 'default/web',
    type: 'LoadBalancer',
    ips: [ip('192.0.2.100')],
    pool: { name: 'default', kind: 'local' },
    conditions: [{ type: 'Allocated', isTrue: true, reason: 'Allocated', message: 'all is well' }],
    endpoints: 2,
    ...changes,
  };
}

export function traffic(changes: Partial<TrafficFacts> = {}): TrafficFacts {
  return {
    ip: ip('192.0.2.100'),
    ticks: [{ sent: 100, answered: 100 }],
    perSecond: 1000,
    lost: 0,
    settledLost: 0,
    longestOutageMs: 0,
    answeredBy: 'web-1',
    ...changes,
  };
}

export function facts(changes: Partial<ClusterFacts> = {}): ClusterFacts {
  const holds = [{ ip: ip('192.0.2.100'), link: 'eth0' }];
  return {
    nodes: [node(1), node(2, { holds }), node(3), node(4), node(5)],
    services: [service()],
    traffic: [traffic()],
    api: { kind: 'embedded', isUp: true, writes: 12 },
    router: undefined,
    activity: [
      { where: 'API', rates: { renewals: 1.03, writes: 0, reads: 0 } },
      { where: 'lan1', rates: { echoes: 39.6, questions: 0.4, announcements: 0, hints: 0 } },
    ],
    ...changes,
  };
}
