import type { Clock } from '../../src/runtime/clock.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { writeKubeconfig } from '../control-plane/kubeconfig.ts';
import { type Authority, type Certificate, makeAuthority } from '../control-plane/pki.ts';
import { Api } from './api.ts';
import type { ApiRequest } from './api-request.ts';
import type { Audit } from './audit.ts';
import type { Extra } from './auth/authenticator.ts';
import type { ControllerSettings } from './controllers/controllers.ts';
import { answerFaults } from './faults/faults-endpoint.ts';
import { FaultyApi } from './faults/faulty-api.ts';
import { JumpingClock } from './faults/jumping-clock.ts';
import { type Listening, listen, type TlsFiles } from './http/http-server.ts';
import type { Identities } from './rest/identities.ts';
import type { Store } from './store/store.ts';
import type { PodLogs } from './subresources/pod-logs.ts';

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
  /** Run controllers and a scheduler, as a cluster has them. */
  readonly controllers?: boolean | ControllerSettings;
  /** Where `kubectl logs` gets its lines from. */
  readonly podLogs?: PodLogs;
  /** Of faults that happen by chance. */
  readonly seed?: number;
  /** Serve `/faults` to anyone, for tests in other processes. */
  readonly faultsEndpoint?: boolean;
}

export interface RunningApi extends AsyncDisposable {
  readonly url: string;
  /** The authority to trust, in PEM; undefined without TLS. */
  readonly ca: string | undefined;
  readonly adminToken: string;
  /** A token for anyone, at any time. */
  token(user: string, groups?: readonly string[], extra?: Extra): string;
  /** A client certificate for anyone, at any time; only with TLS. */
  clientCertificate(user: string, groups?: readonly string[]): Certificate;
  /** Writes a kubeconfig for the user and returns its path. */
  kubeconfig(path: string, user?: string, groups?: readonly string[]): string;
  readonly api: Api;
  readonly store: Store;
  readonly audit: Audit;
  readonly faults: FaultyApi;
  /** Its wall clock can be made to jump. */
  readonly clock: JumpingClock;
  stop(): Promise<void>;
}

/** Starts an embedded Kubernetes API server; ready when the promise resolves. */
export async function startApi(options: StartOptions = {}): Promise<RunningApi> {
  const { port = 0, host = '127.0.0.1' } = options;
  const clock = new JumpingClock(options.clock ?? new SystemClock());
  const api = new Api({ ...options, clock });
  const faults = new FaultyApi(api, clock, options.seed);
  const tokens = Object.entries(options.tokens ?? {});
  for (const [token, { user, groups }] of tokens) api.authenticator.issue(user, groups, token);
  const authority = options.tls ? makeAuthority() : undefined;
  const tls = authority === undefined ? undefined : serverFiles(authority, host, options.tls);
  const handle = async (request: ApiRequest) => {
    const asked = options.faultsEndpoint ? answerFaults(faults, clock, request) : undefined;
    return asked ?? (await faults.exchange(request));
  };
  const server = await listen(handle, {
    port,
    host,
    ...(tls === undefined ? {} : { tls }),
  });
  const name = host.includes(':') ? `[${host}]` : host;
  const url = `http${tls ? 's' : ''}://${name}:${server.port}`;
  return describe({ api, clock, faults, server, authority, url });
}

function serverFiles(authority: Authority, host: string, tls: StartOptions['tls']): TlsFiles {
  const names = typeof tls === 'object' ? tls.hosts : [];
  const hosts = [...new Set([host, '127.0.0.1', '::1', 'localhost', ...names])];
  const { cert, key } = authority.issue({ commonName: 'kube-apiserver', hosts });
  return { cert, key, clientCa: authority.ca };
}

interface Parts {
  readonly api: Api;
  readonly clock: JumpingClock;
  readonly faults: FaultyApi;
  readonly server: Listening;
  readonly authority: Authority | undefined;
  readonly url: string;
}

function describe({ api, clock, faults, server, authority, url }: Parts): RunningApi {
  const token = (user: string, groups: readonly string[] = [], extra: Extra = {}) =>
    api.authenticator.issue(user, groups, undefined, extra);
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
      return writeKubeconfig(path, { url, ca: authority?.ca ?? '', user, credentials });
    },
    api,
    store: api.core.store,
    audit: api.audit,
    faults,
    clock,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
