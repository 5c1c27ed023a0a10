import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditPolicy } from './audit-log.ts';
import { type Authority, makeSigningKeys } from './pki.ts';

/** Paths of what a control plane reads and writes. */
export type ControlPlaneFiles = ReturnType<typeof filesIn>;

export function filesIn(dir: string) {
  return {
    ca: join(dir, 'ca.crt'),
    serverCert: join(dir, 'server.crt'),
    serverKey: join(dir, 'server.key'),
    kubeletClientCert: join(dir, 'kubelet-client.crt'),
    kubeletClientKey: join(dir, 'kubelet-client.key'),
    signingKey: join(dir, 'service-accounts.key'),
    signingPublicKey: join(dir, 'service-accounts.pub'),
    tokens: join(dir, 'tokens.csv'),
    auditPolicy: join(dir, 'audit-policy.json'),
    auditLog: join(dir, 'audit.jsonl'),
    etcdData: join(dir, 'etcd'),
    etcdLog: join(dir, 'etcd.log'),
    apiServerLog: join(dir, 'kube-apiserver.log'),
  } as const;
}

/** Users and the groups of each. */
export type Users = Readonly<Record<string, readonly string[]>>;

/** Everyone's token, for the file that the API server reads once, when it starts. */
export function makeTokens(users: Users): ReadonlyMap<string, string> {
  return new Map(Object.keys(users).map((user) => [user, randomBytes(16).toString('hex')]));
}

/** A line each of `token,user,uid,"group,group"`. */
export function renderTokenFile(users: Users, tokens: ReadonlyMap<string, string>): string {
  return Object.entries(users)
    .map(([user, groups]) => `${tokens.get(user)},${user},${user},"${groups.join(',')}"\n`)
    .join('');
}

export function writeControlPlaneFiles(
  files: ControlPlaneFiles,
  content: {
    readonly authority: Authority;
    readonly hosts: readonly string[];
    readonly tokenFile: string;
  },
): void {
  const { cert, key } = content.authority.issue({
    commonName: 'kube-apiserver',
    hosts: content.hosts,
  });
  // As whom the API server asks kubelets for logs.
  const kubeletClient = content.authority.issue({
    commonName: 'lab:kube-apiserver',
    organisations: ['system:masters'],
    client: true,
  });
  const signing = makeSigningKeys();
  const write = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
  mkdirSync(files.etcdData, { recursive: true, mode: 0o700 });
  write(files.ca, content.authority.ca);
  write(files.serverCert, cert);
  write(files.serverKey, key);
  write(files.kubeletClientCert, kubeletClient.cert);
  write(files.kubeletClientKey, kubeletClient.key);
  write(files.signingKey, signing.privateKey);
  write(files.signingPublicKey, signing.publicKey);
  write(files.tokens, content.tokenFile);
  write(files.auditPolicy, JSON.stringify(auditPolicy));
}
