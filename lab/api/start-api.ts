import { writeFileSync } from 'node:fs';
import type { Clock } from '../../src/runtime/clock.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { renderKubeconfig } from '../control-plane/kubeconfig.ts';
import { type Authority, type Certificate, makeAuthority } from '../control-plane/pki.ts';
import { Api } from './api.ts';
import type { Audit } from './audit.ts';
import { type Listening, listen, type TlsFiles } from './http/http-server.ts';
import type { Identities } from './rest/identities.ts';
import type { Store } from './store/store.ts';

export interface StartOptions {
  readonly port?: number;
  /** The address to listen on; loopback unless told otherwise. */
  readonly host?: string;
  /** Serve HTTPS with a certificate of its own, for `host` and these names. */
  readonly tls?: boolean | { readonly hosts: readonly string[] };
  /** Tokens that are known in advance, with their users and groups. */
  readonly tokens?: Readonly<Record<string, { user: string; groups?: readonly string[] }>>;
  /** Enforce roles; otherwise everybody may do everything. */
  readonly rbac?: boolean;
  readonly serviceCidrs?: readonly string[];
  readonly clock?: Clock;
  readonly identities?: Identities;
}

export interface RunningApi extends AsyncDisposable {
  readonly url: string;
  /** The authority to trust, in PEM; undefined without TLS. */
  readonly ca: string | undefined;
  readonly adminToken: string;
  /** A token for anyone, at any time. */
  token(user: string, groups?: readonly string[]): string;
  /** A client certificate for anyone, at any time; only with TLS. */
  clientCertificate(user: string, groups?: readonly string[]): Certificate;
  /** Writes a kubeconfig for the user and returns its path. */
  kubeconfig(path: string, user?: string, groups?: readonly string[]): string;
  readonly api: Api;
  readonly store: Store;
  readonly audit: Audit;
  stop(): Promise<void>;
}

/** Starts an embedded Kubernetes API server; ready when the promise resolves. */
export async function startApi(options: StartOptions = {}): Promise<RunningApi> {
  const { port = 0, host = '127.0.0.1' } = options;
  const api = new Api({ ...options, clock: options.clock ?? new SystemClock() });
  const tokens = Object.entries(options.tokens ?? {});
  for (const [token, { user, groups }] of tokens) api.authenticator.issue(user, groups, token);
  const authority = options.tls ? makeAuthority() : undefined;
  const tls = authority === undefined ? undefined : serverFiles(authority, host, options.tls);
  const server = await listen((request) => api.handle(request), {
    port,
    host,
    ...(tls === undefined ? {} : { tls }),
  });
  const name = host.includes(':') ? `[${host}]` : host;
  return describe(api, server, authority, `http${tls ? 's' : ''}://${name}:${server.port}`);
}

function serverFiles(authority: Authority, host: string, tls: StartOptions['tls']): TlsFiles {
  const names = typeof tls === 'object' ? tls.hosts : [];
  const hosts = [...new Set([host, '127.0.0.1', '::1', 'localhost', ...names])];
  const { cert, key } = authority.issue({ commonName: 'kube-apiserver', hosts });
  return { cert, key, clientCa: authority.ca };
}

function describe(
  api: Api,
  server: Listening,
  authority: Authority | undefined,
  url: string,
): RunningApi {
  const token = (user: string, groups: readonly string[] = []) =>
    api.authenticator.issue(user, groups);
  const stop = () => {
    api.stop();
    return server.close();
  };
  return {
    url,
    ca: authority?.ca,
    adminToken: token('admin', ['system:masters']),
    token,
    clientCertificate: (user, groups = []) => {
      if (authority === undefined) throw new Error('client certificates need TLS');
      return authority.issue({ commonName: user, organisations: groups, client: true });
    },
    kubeconfig: (path, user = 'admin', groups = user === 'admin' ? ['system:masters'] : []) => {
      const credentials = { token: token(user, groups) };
      const content = renderKubeconfig({ url, ca: authority?.ca ?? '', user, credentials });
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    },
    api,
    store: api.core.store,
    audit: api.audit,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
