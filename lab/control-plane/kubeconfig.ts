import { renameSync, writeFileSync } from 'node:fs';
import type { Certificate } from './pki.ts';

export type Credentials = { readonly token: string } | Certificate;

export interface KubeconfigContent {
  readonly url: string;
  /** In PEM. */
  readonly ca: string;
  readonly user: string;
  readonly credentials: Credentials;
}

/** A kubeconfig with one context. It is JSON, which every reader of YAML understands. */
export function renderKubeconfig({ url, ca, user, credentials }: KubeconfigContent): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const proof =
    'token' in credentials
      ? { token: credentials.token }
      : {
          'client-certificate-data': base64(credentials.cert),
          'client-key-data': base64(credentials.key),
        };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'lab', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: user, user: proof }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user } }],
    'current-context': 'lab',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/**
 * Puts a new file in the place of an old one. Several programs may share a kubeconfig, and one that is just starting
 * must not find it empty because it is written once more for the next: kube-proxy ends for good when it does.
 */
export function writeKubeconfig(path: string, content: KubeconfigContent): string {
  const draft = `${path}.new`;
  writeFileSync(draft, renderKubeconfig(content), { mode: 0o600 });
  renameSync(draft, path);
  return path;
}
