/** How the manifests in `deploy` start a program, with this machine's Node and bundle in place of the image's. */

import { readManifest } from '../lab/manifest.ts';
import { bundleFolder, type programs } from '../scripts/bundle.ts';

export type ProgramName = (typeof programs)[number];

/** What a kubelet would know of the pod. */
export interface PodFacts {
  readonly namespace: string;
  readonly uid: string;
  readonly node: string;
  readonly hostIp: string;
}

export interface DeployedProgram {
  /** What follows `node`. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Probe {
  readonly httpGet: { readonly path: string };
}

interface ValueSource {
  readonly fieldRef?: { readonly fieldPath: string };
  readonly secretKeyRef?: { readonly name: string; readonly optional?: boolean };
}

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: ValueSource;
  }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe & { readonly initialDelaySeconds: number };
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly securityContext: {
    readonly readOnlyRootFilesystem?: boolean;
    readonly allowPrivilegeEscalation?: boolean;
    readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] };
  };
}

interface Pod {
  readonly automountServiceAccountToken?: boolean;
  readonly containers: readonly [Container, ...Container[]];
  readonly volumes: readonly {
    readonly name: string;
    readonly emptyDir?: object;
    readonly projected?: { readonly sources: readonly Readonly<Record<string, unknown>>[] };
  }[];
  readonly securityContext: { readonly runAsNonRoot?: boolean };
}

const imageFolder = '/purelb';

export function deployedProgram(name: ProgramName, facts: PodFacts): DeployedProgram {
  const { command, env } = podOf(name).containers[0];
  const [program, ...argv] = command;
  if (program !== 'node') throw new Error(`${name} is started by ${program}, not by node`);
  return {
    argv: argv.map((arg) => arg.replace(imageFolder, bundleFolder)),
    env: Object.fromEntries(
      env
        .map(({ name: variable, value, valueFrom = {} }) => [
          variable,
          value ?? givenBy(valueFrom, facts),
        ])
        .filter(([, value]) => value !== undefined),
    ),
  };
}

/** The pod that the Deployment or DaemonSet makes. */
export function podOf(name: ProgramName | 'bgp/agent'): Pod {
  const workload = readManifest(name).find(({ spec }) => 'template' in (spec as object));
  if (workload === undefined) throw new Error(`${name}.yaml makes no pod`);
  return (workload.spec as { readonly template: { readonly spec: Pod } }).template.spec;
}

/** Undefined for a Secret that need not be there: none is. */
function givenBy({ fieldRef, secretKeyRef }: ValueSource, facts: PodFacts): string | undefined {
  if (secretKeyRef?.optional === true) return undefined;
  if (secretKeyRef !== undefined) throw new Error(`there is no Secret ${secretKeyRef.name} here`);
  return fieldRef === undefined ? '' : fieldOf(fieldRef.fieldPath, facts);
}

function fieldOf(path: string, { namespace, uid, node, hostIp }: PodFacts): string {
  const fields: Readonly<Record<string, string>> = {
    'metadata.namespace': namespace,
    'metadata.uid': uid,
    'spec.nodeName': node,
    'status.hostIP': hostIp,
  };
  const found = fields[path];
  if (found === undefined) throw new Error(`no kubelet gives ${path} to these programs`);
  return found;
}
