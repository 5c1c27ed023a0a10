import type { ControlPlaneFiles } from './control-plane-files.ts';

export interface ApiServerSettings {
  /** The address under which clients reach it. */
  readonly host: string;
  readonly port: number;
  readonly etcdPort: number;
  readonly authorization: 'rbac' | 'always-allow';
  readonly auditLog: boolean;
  /** For `--runtime-config`: API groups and versions beyond the default, such as `api/beta=true`. */
  readonly runtimeConfig: readonly string[];
  /** One range per family, the cluster's main family first. */
  readonly serviceCidrs: readonly string[];
  /** Where real kubelets and their pods reach it; absent where there are none. */
  readonly reachedByKubeletsAt: string | undefined;
}

/** Without kubelets no service account is mounted anywhere, so none is asked of a Pod. */
export function apiServerArguments(
  settings: ApiServerSettings,
  files: ControlPlaneFiles,
): readonly string[] {
  const { host, authorization, runtimeConfig } = settings;
  return Object.entries({
    ...addressFlags(host),
    'secure-port': `${settings.port}`,
    'etcd-servers': `http://127.0.0.1:${settings.etcdPort}`,
    'service-cluster-ip-range': settings.serviceCidrs.join(','),
    'authorization-mode': authorization === 'rbac' ? 'RBAC' : 'AlwaysAllow',
    'tls-cert-file': files.serverCert,
    'tls-private-key-file': files.serverKey,
    'client-ca-file': files.ca,
    'token-auth-file': files.tokens,
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': files.signingPublicKey,
    'service-account-signing-key-file': files.signingKey,
    'disable-admission-plugins': 'ServiceAccount',
    'allow-privileged': 'true',
    ...(runtimeConfig.length === 0 ? {} : { 'runtime-config': runtimeConfig.join(',') }),
    ...(settings.auditLog
      ? { 'audit-policy-file': files.auditPolicy, 'audit-log-path': files.auditLog }
      : {}),
    ...(settings.reachedByKubeletsAt === undefined
      ? {}
      : kubeletFlags(settings.reachedByKubeletsAt, files)),
  }).map(([name, value]) => `--${name}=${value}`);
}

/**
 * A loopback address cannot be the endpoint of the Service `kubernetes`: there it gets none, and the address given
 * only keeps the server from looking for a default route.
 */
function addressFlags(host: string): Readonly<Record<string, string>> {
  const everywhere = host.includes(':') ? '::' : '0.0.0.0';
  if (host !== '127.0.0.1' && host !== '::1')
    return { 'bind-address': everywhere, 'advertise-address': host };
  return {
    'bind-address': host,
    'advertise-address': host === '::1' ? '2001:db8::1' : '192.0.2.1',
    'endpoint-reconciler-type': 'none',
  };
}

function kubeletFlags(address: string, files: ControlPlaneFiles): Readonly<Record<string, string>> {
  return {
    'advertise-address': address,
    'endpoint-reconciler-type': 'lease',
    'authorization-mode': 'Node,RBAC',
    'disable-admission-plugins': '',
    'enable-admission-plugins': 'NodeRestriction',
    'kubelet-preferred-address-types': 'InternalIP',
    'kubelet-client-certificate': files.kubeletClientCert,
    'kubelet-client-key': files.kubeletClientKey,
  };
}
