/** An API server that enforces roles: a real one where its programs are there, else the embedded one. */

import { startApi } from '../lab/api/start-api.ts';
import { missingBinaries } from '../lab/control-plane/binaries.ts';
import { startControlPlane } from '../lab/control-plane/control-plane.ts';
import { podToken } from './pod-token.ts';

export interface DeployedApi {
  readonly url: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly isReal: boolean;
  /** Of a service account, which must be there, as a pod on this node has it. */
  token(account: PodAccount): Promise<string>;
  /** How often a user did what: `USER VERB RESOURCE` → count; without watches. */
  requests(): ReadonlyMap<string, number>;
  /** `USER VERB RESOURCE` of each request that was refused for want of permission; of the real one only. */
  refusals(): readonly string[];
  /** `USER VERB RESOURCE` of each request that was refused as a conflict; of the real one only. */
  conflicts(): readonly string[];
  /** Writes a kubeconfig of the administrator and returns its path. */
  kubeconfig(path: string): string;
  stop(): Promise<void>;
}

export interface PodAccount {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
}

export function startDeployedApi(host: string): Promise<DeployedApi> {
  const isReal = missingBinaries('etcd', 'kube-apiserver') === false;
  return isReal ? startReal(host) : startEmbedded(host);
}

async function startReal(host: string): Promise<DeployedApi> {
  const api = await startControlPlane({ authorization: 'rbac', host, auditLog: true });
  const audit = () =>
    api.auditEntries().map(({ user, verb, resource, code }) => {
      return { what: `${user} ${verb} ${resource}`, code };
    });
  return {
    url: api.url,
    ca: api.ca,
    adminToken: api.adminToken,
    isReal: true,
    token: (account) => podToken((request) => api.request(request), account),
    requests: () => countAll(audit().map(({ what }) => [what, 1])),
    refusals: () => audit().flatMap(({ what, code }) => (code === 403 ? [what] : [])),
    conflicts: () => audit().flatMap(({ what, code }) => (code === 409 ? [what] : [])),
    kubeconfig: (path) => api.kubeconfig(path),
    stop: () => api.stop(),
  };
}

async function startEmbedded(host: string): Promise<DeployedApi> {
  const api = await startApi({ rbac: true, tls: true, host });
  return {
    url: api.url,
    ca: api.ca ?? '',
    adminToken: api.adminToken,
    isReal: false,
    token: async ({ namespace, name }) => api.token(`system:serviceaccount:${namespace}:${name}`),
    requests: () => countAll(Object.entries(api.audit.counts())),
    refusals: () => [],
    conflicts: () => [],
    kubeconfig: (path) => api.kubeconfig(path),
    stop: () => api.stop(),
  };
}

function countAll(entries: Iterable<readonly [string, number]>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [what, count] of entries) counts.set(what, (counts.get(what) ?? 0) + count);
  return counts;
}
