/** Objects that people try first, as values for `LabCluster.create`. */

import type { KubeObject } from '../../src/model/kube-object.ts';

export interface WorkloadWish {
  readonly name: string;
  readonly replicas?: number;
  /** Pods move off a dead node after so long; the API's own default is five minutes. */
  readonly patienceSeconds?: number;
  readonly nodeSelector?: Readonly<Record<string, string>>;
}

export const webPort = 8080;
export const echoPort = 7777;

/** Pods that answer HTTP and, for clients that count packets, UDP. */
export function webDeployment(wish: WorkloadWish): KubeObject {
  const { name, replicas = 3, patienceSeconds = 10, nodeSelector = {} } = wish;
  const labels = { app: name };
  const tolerations = ['not-ready', 'unreachable'].map((state) => ({
    key: `node.kubernetes.io/${state}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: patienceSeconds,
  }));
  const spec = { terminationGracePeriodSeconds: 5, tolerations, nodeSelector, containers };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

const containers = [
  {
    name: 'web',
    image: 'lab/web',
    ports: [{ name: 'http', containerPort: webPort }],
    readinessProbe: { httpGet: { port: 'http', path: '/healthz' }, periodSeconds: 1 },
  },
  { name: 'echo', image: 'lab/echo', ports: [{ containerPort: echoPort, protocol: 'UDP' }] },
];

export interface ServiceWish {
  readonly name: string;
  /** Of its pods; its own name by default. */
  readonly app?: string;
  /** The ServiceGroup that its addresses come from: `default`, `lan2` and `remote` are there. */
  readonly group?: string;
  readonly families?: 'IPv4' | 'IPv6' | 'both';
  /** externalTrafficPolicy. */
  readonly policy?: 'Cluster' | 'Local';
  readonly annotations?: Readonly<Record<string, string>>;
}

/** HTTP on port 80, counted packets on 7777. */
export function loadBalancer(wish: ServiceWish): KubeObject {
  const { name, app = name, group, families = 'both', policy = 'Cluster', annotations = {} } = wish;
  const source = group === undefined ? {} : { 'purelb.io/service-group': group };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default', annotations: { ...source, ...annotations } },
    spec: {
      type: 'LoadBalancer',
      externalTrafficPolicy: policy,
      ...(families === 'both'
        ? { ipFamilyPolicy: 'RequireDualStack' }
        : { ipFamilyPolicy: 'SingleStack', ipFamilies: [families] }),
      selector: { app },
      ports: [
        { name: 'http', port: 80, targetPort: webPort, protocol: 'TCP' },
        { name: 'echo', port: echoPort, targetPort: echoPort, protocol: 'UDP' },
      ],
    },
  };
}

/** The addresses that a Service has been given. */
export function addressesOf({ status }: KubeObject): readonly string[] {
  const { loadBalancer: given } = (status ?? {}) as {
    loadBalancer?: { ingress?: readonly { ip?: string }[] };
  };
  return (given?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
}
