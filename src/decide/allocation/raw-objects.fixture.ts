/** Services and ServiceGroups as the API server gives them, in the smallest text that says them. */

import type { KubeObject, ObjectMeta } from '../../model/kube-object.ts';

export interface ServiceText {
  readonly families?: readonly ('IPv4' | 'IPv6')[];
  readonly policy?: 'SingleStack' | 'PreferDualStack' | 'RequireDualStack';
  readonly ports?: readonly string[];
  /** Names without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly class?: string;
  readonly type?: string;
  readonly ingress?: readonly unknown[];
  readonly spec?: object;
  readonly finalizers?: readonly string[];
}

export function rawService(
  key: string,
  text: ServiceText,
  metadata: Partial<ObjectMeta>,
): KubeObject {
  const [namespace = '', name = ''] = key.split('/');
  const { families = ['IPv4'], ingress } = text;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, namespace, name, ...rawMetadata(text) },
    spec: {
      type: text.type ?? 'LoadBalancer',
      clusterIP: '10.96.0.9',
      ipFamilies: families,
      ipFamilyPolicy: text.policy ?? (families.length > 1 ? 'RequireDualStack' : 'SingleStack'),
      ports: (text.ports ?? ['TCP/80']).map(portOf),
      ...(text.class === undefined ? {} : { loadBalancerClass: text.class }),
      ...text.spec,
    },
    status: { loadBalancer: ingress === undefined ? {} : { ingress } },
  };
}

function rawMetadata({ labels = {}, annotations, finalizers }: ServiceText) {
  return {
    labels,
    ...(annotations === undefined ? {} : { annotations: prefixed(annotations) }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
}

/** `spec` is that of v2; ranges given alone are a local group's. */
export function rawGroup(spec: object | readonly string[], metadata: ObjectMeta): KubeObject {
  return {
    apiVersion: 'purelb.io/v2',
    kind: 'ServiceGroup',
    metadata,
    spec: Array.isArray(spec) ? { local: ranges(...spec) } : spec,
  };
}

/** `192.0.2.0/28` in 192.0.2.0/24 and the like; another subnet is written as `range in subnet`. */
export function ranges(...texts: readonly string[]) {
  const entries = texts.map((text) => {
    const [pool = '', subnet] = text.split(' in ');
    const isIpv6 = pool.includes(':');
    return { pool, subnet: subnet ?? (isIpv6 ? '2001:db8::/32' : usualSubnet(pool)) };
  });
  return {
    v4pools: entries.filter(({ pool }) => !pool.includes(':')),
    v6pools: entries.filter(({ pool }) => pool.includes(':')),
  };
}

function usualSubnet(pool: string): string {
  return `${pool.split('.').slice(0, 3).join('.')}.0/24`;
}

/** Annotations by their names without `purelb.io/`. */
export function prefixed<T>(annotations: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(annotations).map(([name, value]) => [`purelb.io/${name}`, value]),
  );
}

function portOf(text: string) {
  const [protocol = '', port = ''] = text.split('/');
  return { protocol, port: Number(port) };
}
