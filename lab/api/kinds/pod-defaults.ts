/** What a pod's specification gets when it does not say, in a Pod as in the template of a workload. */

import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '../json.ts';

export function setPodSpecDefaults(spec: JsonObject, isTemplate: boolean): void {
  fill(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
  if (spec['serviceAccountName'] !== undefined) spec['serviceAccount'] = spec['serviceAccountName'];
  for (const list of ['containers', 'initContainers']) {
    for (const container of listAt(spec, list) as JsonObject[]) {
      // In a template the port of the node is left to the pods.
      setContainerDefaults(container, spec['hostNetwork'] === true && !isTemplate);
    }
  }
  for (const volume of listAt(spec, 'volumes') as JsonObject[]) setVolumeDefaults(volume);
}

/** Sets what is missing. */
function fill(target: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) target[field] ??= value;
}

function setContainerDefaults(container: JsonObject, isOnHost: boolean): void {
  fill(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: pullPolicyOf(textAt(container, 'image')),
    resources: {},
  });
  for (const port of listAt(container, 'ports') as JsonObject[]) {
    port['protocol'] ??= 'TCP';
    if (isOnHost) port['hostPort'] ??= port['containerPort'];
  }
  for (const variable of listAt(container, 'env')) {
    const source = objectAt(variable, 'valueFrom', 'fieldRef');
    if (source['fieldPath'] !== undefined) source['apiVersion'] ??= 'v1';
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const found = container[probe];
    if (isJsonObject(found)) setProbeDefaults(found);
  }
}

/** A tag that may point to something else tomorrow is pulled each time. */
function pullPolicyOf(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = /:([^:/]+)$/.exec(image)?.[1] ?? 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function setProbeDefaults(probe: JsonObject): void {
  fill(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  const get = probe['httpGet'];
  if (isJsonObject(get)) fill(get, { path: '/', scheme: 'HTTP' });
}

function setVolumeDefaults(volume: JsonObject): void {
  for (const kind of ['secret', 'configMap', 'projected', 'downwardAPI']) {
    const source = volume[kind];
    if (isJsonObject(source)) source['defaultMode'] ??= 0o644;
  }
  const host = volume['hostPath'];
  if (isJsonObject(host)) host['type'] ??= '';
}
