import type { JsonObject } from './json.ts';
import type { Core, WriteOptions } from './rest/core.ts';
import { createObject } from './rest/create.ts';

const options: WriteOptions = {
  isDryRun: false,
  fieldManager: 'kube-apiserver',
  fieldValidation: 'Strict',
  isForced: false,
  user: 'system:apiserver',
  warnings: [],
};

/** What every cluster has from its first second. */
export function bootstrap(core: Core, clusterIp: string): void {
  for (const name of ['default', 'kube-node-lease', 'kube-public', 'kube-system']) {
    createBuiltIn(core, ['', 'namespaces'], '', { metadata: { name } });
  }
  createBuiltIn(core, ['', 'services'], 'default', kubernetesService(clusterIp));
}

/** Under which programs in the cluster find the API server. */
function kubernetesService(clusterIP: string): JsonObject {
  return {
    metadata: { name: 'kubernetes', labels: { component: 'apiserver', provider: 'kubernetes' } },
    spec: {
      clusterIP,
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, targetPort: 6443, protocol: 'TCP' }],
    },
  };
}

export function createBuiltIn(
  core: Core,
  [group, plural]: readonly [string, string],
  namespace: string,
  body: JsonObject,
): void {
  const resource = core.registry.find(group, 'v1', plural);
  if (resource === undefined) throw new Error(`no resource ${group}/${plural}`);
  createObject(core, { resource, namespace, name: '', subresource: '' }, body, options);
}
