import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Problem } from '../model/parsed.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { type KubeConfigChoice, type KubeConfigFile, parseKubeConfig } from './kube-config.ts';

export interface ApiServerSearch extends KubeConfigChoice {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The file that the user named. */
  readonly kubeconfig?: string | undefined;
  /** Where a pod finds its service account. */
  readonly serviceAccount?: string;
}

export class ApiServerConfigError extends Error {
  override readonly name = 'ApiServerConfigError';
  readonly code = 'API_SERVER_CONFIG';
}

/** The file that was named, else KUBECONFIG, else the pod we run in, else ~/.kube/config. */
export async function findApiServer(search: ApiServerSearch): Promise<ApiServerConfig> {
  const { KUBECONFIG = '', KUBERNETES_SERVICE_HOST, HOME = '/' } = search.env;
  if (search.kubeconfig !== undefined) return readKubeConfig([search.kubeconfig], search);
  const listed = KUBECONFIG.split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return readKubeConfig(listed, search);
  if (KUBERNETES_SERVICE_HOST !== undefined) return findInCluster(search);
  const usual = join(HOME, '.kube', 'config');
  if (existsSync(usual)) return readKubeConfig([usual], search);
  throw new ApiServerConfigError(
    `no API server to talk to: not in a pod, KUBECONFIG is not set, and there is no ${usual}`,
  );
}

const usualServiceAccount = '/var/run/secrets/kubernetes.io/serviceaccount';

function findInCluster({ env, serviceAccount = usualServiceAccount }: ApiServerSearch) {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const token = join(serviceAccount, 'token');
  if (!existsSync(token)) {
    throw new ApiServerConfigError(
      `in a pod, but without a service account: there is no ${token} (automountServiceAccountToken?)`,
    );
  }
  const namespace = join(serviceAccount, 'namespace');
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca: { file: join(serviceAccount, 'ca.crt') },
    token: { file: token },
    ...(existsSync(namespace) ? { namespace: readFileSync(namespace, 'utf8').trim() } : {}),
  };
}

/** Of several files some may be missing, as with kubectl; of one it may not. */
async function readKubeConfig(
  paths: readonly string[],
  choice: KubeConfigChoice,
): Promise<ApiServerConfig> {
  const present = paths.length === 1 ? paths : paths.filter((path) => existsSync(path));
  const files: KubeConfigFile[] = [];
  for (const path of present) files.push({ path, content: await readYaml(path) });
  const parsed = parseKubeConfig(files, choice);
  if ('value' in parsed) return parsed.value;
  throw new ApiServerConfigError(`${paths.join(', ')}: ${parsed.problems.map(toText).join('; ')}`);
}

/** YAML is loaded only here: a program in a pod never needs it. */
async function readYaml(path: string): Promise<unknown> {
  try {
    const text = readFileSync(path, 'utf8');
    const { parse } = await import('yaml');
    return parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new ApiServerConfigError(`cannot read ${path}: ${why}`, { cause });
  }
}

function toText({ path, message }: Problem): string {
  return `${path}: ${message}`;
}
