/** The Service of both families whose addresses are moved about, and what answers behind it. */

import { requestAnnotations } from '../../src/model/annotations.ts';
import type { Ip } from '../../src/model/ip.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';

export const port = 7777;
export const name = 'failover';
export const namespace = 'default';
const app = { app: name };

/** On the second LAN: Kubernetes goes on forwarding to dead pods for seconds, which is not what is measured here. */
export const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace },
  spec: {
    replicas: 2,
    selector: { matchLabels: app },
    template: {
      metadata: { labels: app },
      spec: {
        nodeSelector: { 'topology.kubernetes.io/zone': 'lan2' },
        containers: [
          {
            name: 'echo',
            image: 'lab/echo',
            ports: [{ containerPort: port }],
            readinessProbe: { tcpSocket: { port }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

export function service(called = name, ips: readonly Ip[] = []): KubeObject {
  const annotations = ips.length === 0 ? {} : { [requestAnnotations.addresses]: ips.join() };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: called, namespace, annotations },
    spec: {
      type: 'LoadBalancer',
      ipFamilyPolicy: 'RequireDualStack',
      ipFamilies: ['IPv4', 'IPv6'],
      selector: app,
      ports: [
        { name: 'udp', protocol: 'UDP', port, targetPort: port },
        { name: 'tcp', protocol: 'TCP', port, targetPort: port },
      ],
    },
  };
}
