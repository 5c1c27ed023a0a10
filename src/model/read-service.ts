/**
 * Service → LoadBalancer. Only a Service without a name is refused: one whose wishes cannot be read may hold addresses,
 * and an address that is lost from sight would be given to someone else.
 */

import { readConditions } from './condition.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { keyOf, readIdentity, readTexts } from './identity.ts';
import { type Family, parseIp } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import type { LoadBalancer, ServicePort } from './load-balancer.ts';
import { isProblem } from './parsed.ts';
import { readGrant } from './read-grant.ts';
import { readRequest } from './read-request.ts';
import { readRouteWish } from './route-wish.ts';
import { cleanupFinalizer } from './well-known-names.ts';

export function readService(object: KubeObject): Reading<LoadBalancer> {
  return read(object, (root) => {
    const identity = readIdentity(root.fields('metadata').metadata);
    const { metadata, spec, status } = root.lenient().fields('metadata', 'spec', 'status');
    const { labels, annotations, finalizers } = metadata.fields(
      'labels',
      'annotations',
      'finalizers',
    );
    const at = status.fields('loadBalancer', 'conditions');
    const conditions = readConditions(at.conditions);
    return {
      identity,
      key: keyOf(identity),
      labels: readTexts(labels),
      hasFinalizer: finalizers.items().some((item) => item.string() === cleanupFinalizer),
      ...readSpec(spec),
      request: readRequest(annotations, spec),
      routeWish: readRouteWish(annotations),
      grant: readGrant(annotations, at.loadBalancer, conditions),
      conditions,
    };
  });
}

type SpecPart =
  | 'type'
  | 'isLoadBalancer'
  | 'loadBalancerClass'
  | 'hasClusterIp'
  | 'families'
  | 'familyPolicy'
  | 'ports'
  | 'externalTrafficPolicy';

function readSpec(spec: Cursor): Pick<LoadBalancer, SpecPart> {
  const at = spec.fields(
    'type',
    'loadBalancerClass',
    'clusterIP',
    'ipFamilies',
    'ipFamilyPolicy',
    'ports',
    'externalTrafficPolicy',
  );
  const type = at.type.string() ?? 'ClusterIP';
  return {
    type,
    isLoadBalancer: type === 'LoadBalancer',
    loadBalancerClass: at.loadBalancerClass.string(),
    hasClusterIp: !isProblem(parseIp(at.clusterIP.string() ?? '')),
    families: at.ipFamilies.items().flatMap((item) => readFamily(item) ?? []),
    familyPolicy: at.ipFamilyPolicy.oneOf(familyPolicies) ?? 'SingleStack',
    ports: at.ports.items().flatMap((item) => readPort(item) ?? []),
    externalTrafficPolicy: at.externalTrafficPolicy.oneOf(['Cluster', 'Local']) ?? 'Cluster',
  };
}

const familyPolicies = ['SingleStack', 'PreferDualStack', 'RequireDualStack'] as const;

function readFamily(cursor: Cursor): Family | undefined {
  const family = cursor.oneOf(['IPv4', 'IPv6']);
  if (family === undefined) return undefined;
  return family === 'IPv4' ? 'ipv4' : 'ipv6';
}

function readPort(cursor: Cursor): ServicePort | undefined {
  const at = cursor.fields('protocol', 'port');
  const port = at.port.integer({ min: 1, max: 65_535 });
  const protocol = at.protocol.oneOf(['TCP', 'UDP', 'SCTP']) ?? 'TCP';
  return port === undefined ? undefined : { protocol, port };
}
