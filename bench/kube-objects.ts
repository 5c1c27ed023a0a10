/** The Services and changes that server and clients of the kube bench agree upon. */

export const firstVersion = 1_000_000;

/** Which Service the n-th change is about. */
export function serviceOfChange(change: number, services: number): number {
  return (change * 7919) % services;
}

export function serviceName(index: number): string {
  return `service-${String(index).padStart(5, '0')}`;
}

/** A Service's JSON in two parts: its version and revision come between them and after them. */
export interface ServiceText {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

/** About 2.4 kB, as an API server sends it: a third of it says who manages which field. */
export function serviceText(index: number): ServiceText {
  const name = serviceName(index);
  const marks = { version: '@@version@@', revision: '@@revision@@' };
  const ip = `10.96.${Math.floor(index / 250)}.${(index % 250) + 1}`;
  const object = {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: {
      name,
      namespace: `team-${index % 100}`,
      uid: `3f1c5a52-7d5e-4b5c-9f00-${String(index).padStart(12, '0')}`,
      resourceVersion: marks.version,
      creationTimestamp: '2026-11-15T09:00:00Z',
      labels: labels(name),
      annotations: {
        'meta.helm.sh/release-name': name,
        'meta.helm.sh/release-namespace': `team-${index % 100}`,
        'purelb.io/service-group': 'default',
        'purelb.io/allocated-by': 'PureLB',
        'purelb.io/allocated-from': 'default',
        'bench/revision': marks.revision,
      },
      finalizers: ['service.kubernetes.io/load-balancer-cleanup'],
      managedFields: managedFields(),
    },
    spec: spec(name, ip, index),
    status: {
      loadBalancer: { ingress: [{ ip: `192.0.2.${index % 250}`, ipMode: 'VIP' }] },
      conditions: [
        {
          type: 'Allocated',
          status: 'True',
          reason: 'Assigned',
          message: `Assigned 192.0.2.${index % 250} from pool default`,
          lastTransitionTime: '2026-11-15T09:00:01Z',
        },
      ],
    },
  };
  const [head = '', rest = ''] = JSON.stringify(object).split(marks.version);
  const [middle = '', tail = ''] = rest.split(marks.revision);
  return { head, middle, tail };
}

function labels(name: string): object {
  return {
    app: name,
    'app.kubernetes.io/name': name,
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/managed-by': 'Helm',
    'helm.sh/chart': `${name}-1.2.3`,
  };
}

function spec(name: string, ip: string, index: number): object {
  const port = (label: string, number: number) => ({
    name: label,
    protocol: 'TCP',
    port: number,
    targetPort: number + 8000,
    nodePort: 30000 + ((index + number) % 2700),
  });
  return {
    ports: [port('http', 80), port('https', 443)],
    selector: { app: name, 'app.kubernetes.io/instance': name },
    clusterIP: ip,
    clusterIPs: [ip],
    type: 'LoadBalancer',
    sessionAffinity: 'None',
    externalTrafficPolicy: 'Cluster',
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
    allocateLoadBalancerNodePorts: true,
    internalTrafficPolicy: 'Cluster',
  };
}

function managedFields(): readonly object[] {
  const entry = (manager: string, subresource: string, fieldsV1: object) => ({
    manager,
    operation: 'Update',
    apiVersion: 'v1',
    time: '2026-11-15T09:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1,
    ...(subresource === '' ? {} : { subresource }),
  });
  const names = (...fields: readonly string[]) =>
    Object.fromEntries(fields.map((field) => [`f:${field}`, {}]));
  return [
    entry('helm', '', {
      'f:metadata': {
        'f:labels': { '.': {}, ...names('app', 'helm.sh/chart', 'app.kubernetes.io/name') },
      },
      'f:spec': {
        ...names('externalTrafficPolicy', 'internalTrafficPolicy', 'selector', 'type'),
        'f:ports': {
          'k:{"port":80,"protocol":"TCP"}': names('name', 'port', 'protocol', 'targetPort'),
          'k:{"port":443,"protocol":"TCP"}': names('name', 'port', 'protocol', 'targetPort'),
        },
      },
    }),
    entry('purelb-allocator', 'status', {
      'f:metadata': {
        'f:annotations': names('purelb.io/allocated-by', 'purelb.io/allocated-from'),
      },
      'f:status': { 'f:loadBalancer': { 'f:ingress': {} }, 'f:conditions': {} },
    }),
  ];
}
