import { readFileSync } from 'node:fs';

const usualFile = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

/** The namespace of the pod that we run in; empty when it is not a pod, or one without a service account. */
export function podNamespace(file = usualFile): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
