/** What runs in the playground's cluster: pods that echo, and Services of every kind before them. */

import { deployments, services } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import type { ServiceForm } from './menu.ts';

export const namespace = 'default';
/** Of the Services; UDP, so that packets can be counted. */
export const echoPort = 7777;

const app = { app: 'echo' };

/**
 * On the second LAN, while the local addresses are on the first: a node that dies there takes an address along and no
 * pod. Kubernetes goes on forwarding to dead pods for seconds, and nobody could tell the one from the other.
 */
const place = { 'topology.kubernetes.io/zone': 'lan2' };

export async function deployEcho({ cluster }: LabCluster): Promise<void> {
  const readinessProbe = { tcpSocket: { port: echoPort }, periodSeconds: 1 };
  const container = {
    name: 'echo',
    image: 'echo',
    // There is no registry to ask, and answers are counted: a real kubelet has to know both.
    imagePullPolicy: 'IfNotPresent',
    resources: { requests: { cpu: '200m' } },
    ports: [{ containerPort: echoPort }],
  };
  await cluster.create(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'echo', namespace },
    spec: {
      replicas: 4,
      selector: { matchLabels: app },
      template: {
        metadata: { labels: app },
        spec: { nodeSelector: place, containers: [{ ...container, readinessProbe }] },
      },
    },
  });
}

export function serviceOf(name: string, form: ServiceForm, port = echoPort): KubeObject {
  const isDual = form === 'dual stack';
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, annotations: annotationsFor(form) },
    spec: {
      type: 'LoadBalancer',
      selector: app,
      ports: [{ name: 'echo', protocol: 'UDP', port, targetPort: echoPort }],
      ...(isDual ? { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } : {}),
    },
  };
}

function annotationsFor(form: ServiceForm): Record<string, string> {
  if (form === 'remote') return { 'purelb.io/service-group': 'remote' };
  if (form === 'shared') return { 'purelb.io/allow-shared-ip': 'playground' };
  return {};
}

export async function createService(
  { cluster }: LabCluster,
  name: string,
  form: ServiceForm,
  port?: number,
): Promise<void> {
  await cluster.create(services, serviceOf(name, form, port));
}

export async function deleteService({ cluster }: LabCluster, name: string): Promise<void> {
  await cluster.delete(services, { namespace, name });
}
