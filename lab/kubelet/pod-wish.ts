/** What a Pod asks of its kubelet, read once from the object. */

import type { KubeObject } from '../../src/model/kube-object.ts';

export type RestartPolicy = 'Always' | 'OnFailure' | 'Never';

export interface PodWish {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: readonly ContainerWish[];
  readonly restartPolicy: RestartPolicy;
  readonly graceMs: number;
  readonly isHostNetwork: boolean;
}

export interface ContainerWish {
  readonly name: string;
  readonly image: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The first port it declares: programs of the lab listen on it. */
  readonly port: number | undefined;
  readonly readiness: Probe | undefined;
  readonly liveness: Probe | undefined;
}

export interface Probe {
  readonly target:
    | { readonly kind: 'http'; readonly port: number; readonly path: string }
    | { readonly kind: 'tcp'; readonly port: number }
    | { readonly kind: 'unsupported' };
  readonly initialDelayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

interface PodSpec {
  readonly containers?: readonly ContainerSpec[];
  readonly restartPolicy?: RestartPolicy;
  readonly terminationGracePeriodSeconds?: number;
  readonly hostNetwork?: boolean;
}

interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
  readonly readinessProbe?: ProbeSpec;
  readonly livenessProbe?: ProbeSpec;
}

interface ProbeSpec {
  readonly httpGet?: { readonly port: number | string; readonly path?: string };
  readonly tcpSocket?: { readonly port: number | string };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly successThreshold?: number;
  readonly failureThreshold?: number;
}

export function readPodWish({ metadata, spec }: KubeObject): PodWish {
  const wish = (spec ?? {}) as PodSpec;
  return {
    namespace: metadata.namespace ?? 'default',
    name: metadata.name,
    uid: metadata.uid ?? '',
    containers: (wish.containers ?? []).map(readContainer),
    restartPolicy: wish.restartPolicy ?? 'Always',
    graceMs: 1000 * (wish.terminationGracePeriodSeconds ?? 30),
    isHostNetwork: wish.hostNetwork ?? false,
  };
}

function readContainer(spec: ContainerSpec): ContainerWish {
  const { name, image, args = [], env = [], ports = [] } = spec;
  return {
    name,
    image,
    args,
    env: Object.fromEntries(env.map((each) => [each.name, each.value ?? ''])),
    port: ports[0]?.containerPort,
    readiness: readProbe(spec.readinessProbe, spec),
    liveness: readProbe(spec.livenessProbe, spec),
  };
}

function readProbe(probe: ProbeSpec | undefined, container: ContainerSpec): Probe | undefined {
  if (probe === undefined) return undefined;
  return {
    target: readTarget(probe, container),
    initialDelayMs: 1000 * (probe.initialDelaySeconds ?? 0),
    periodMs: 1000 * (probe.periodSeconds ?? 10),
    timeoutMs: 1000 * (probe.timeoutSeconds ?? 1),
    successThreshold: probe.successThreshold ?? 1,
    failureThreshold: probe.failureThreshold ?? 3,
  };
}

function readTarget({ httpGet, tcpSocket }: ProbeSpec, container: ContainerSpec): Probe['target'] {
  if (httpGet !== undefined)
    return { kind: 'http', port: portOf(httpGet.port, container), path: httpGet.path ?? '/' };
  if (tcpSocket !== undefined) return { kind: 'tcp', port: portOf(tcpSocket.port, container) };
  return { kind: 'unsupported' };
}

function portOf(port: number | string, { ports = [] }: ContainerSpec): number {
  if (typeof port === 'number') return port;
  return ports.find(({ name }) => name === port)?.containerPort ?? 0;
}
