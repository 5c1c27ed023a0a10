/** The programs that the lab takes from others: where their source is, and how to tell whether one found is new enough. */

export interface Program {
  /** Folder with the go.mod and go.sum that pin its version, relative to this file. */
  readonly module: string;
  /** Go package of its `main`. */
  readonly source: string;
  /** Arguments that make it print its version. */
  readonly version: readonly string[];
  /** The oldest that will do, as major and minor. */
  readonly minimum: readonly [major: number, minor: number];
}

function kubernetes(
  name: string,
  { version = ['--version'], module = 'tools/kubernetes' }: Partial<Program> = {},
): Program {
  return { module, source: `k8s.io/kubernetes/cmd/${name}`, version, minimum: [1, 33] };
}

function networkPlugin(path: string): Program {
  const source = `github.com/containernetworking/plugins/plugins/${path}`;
  return { module: 'tools/cni', source, version: ['--version'], minimum: [1, 1] };
}

export const programs = {
  etcd: {
    module: 'tools/kubernetes',
    source: 'go.etcd.io/etcd/server/v3',
    version: ['--version'],
    minimum: [3, 5],
  },
  'kube-apiserver': kubernetes('kube-apiserver'),
  'kube-controller-manager': kubernetes('kube-controller-manager'),
  'kube-proxy': kubernetes('kube-proxy'),
  kubectl: kubernetes('kubectl', { version: ['version', '--client'] }),
  // In modules of their own: whoever needs no real nodes need not build anew what is there.
  kubelet: kubernetes('kubelet', { module: 'tools/node' }),
  'kube-scheduler': kubernetes('kube-scheduler', { module: 'tools/node' }),
  // Tells no version, so that only our own will do.
  pause: { module: 'tools/node', source: './pause', version: [], minimum: [1, 0] },
  ptp: networkPlugin('main/ptp'),
  loopback: networkPlugin('main/loopback'),
  'host-local': networkPlugin('ipam/host-local'),
  // Kubernetes' own tests of load balancers, and what their pods run; neither tells a version.
  'load-balancers': {
    module: 'tools/e2e',
    source: './load-balancers',
    version: [],
    minimum: [1, 33],
  },
  agnhost: {
    module: 'tools/e2e',
    source: 'k8s.io/kubernetes/test/images/agnhost',
    version: [],
    minimum: [1, 33],
  },
  // Debian 12 has 3.10, whose API has other names and other messages.
  gobgpd: {
    module: 'tools/gobgp',
    source: 'github.com/osrg/gobgp/v4/cmd/gobgpd',
    version: ['--version'],
    minimum: [4, 0],
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

/** What a control plane with traffic needs; the others are built only when someone asks for them. */
export const usualPrograms: readonly ProgramName[] = [
  'etcd',
  'kube-apiserver',
  'kube-proxy',
  'kubectl',
];

/** What each node of a real cluster runs beside kube-proxy, and the rest of its control plane. */
export const realClusterPrograms: readonly ProgramName[] = [
  ...usualPrograms,
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'ptp',
  'loopback',
  'host-local',
  'pause',
  'gobgpd',
];

/** For Kubernetes' own tests, on a real cluster. */
export const kubernetesTestPrograms: readonly ProgramName[] = [
  ...realClusterPrograms,
  'load-balancers',
  'agnhost',
];

/** The first version in what a program says of itself: `Kubernetes v1.36.3`, `etcd Version: 3.6.8`. */
export function readVersion(output: string): readonly [number, number] | undefined {
  const [, major, minor] = /\bv?(\d+)\.(\d+)\.\d+/.exec(output) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor)];
}

export function isAtLeast(
  [major, minor]: readonly [number, number],
  [leastMajor, leastMinor]: readonly [number, number],
): boolean {
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
