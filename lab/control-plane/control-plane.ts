/** A real kube-apiserver with its etcd, in the sandbox: no kubelet, no controllers; the lab writes what they would. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isInSandbox } from '../sandbox.ts';
import { type Answer, ApiClient, type ApiRequest } from './api-client.ts';
import { type ApiServerSettings, apiServerArguments } from './api-server-arguments.ts';
import { type AuditEntry, parseAuditLog } from './audit-log.ts';
import { binaryPath } from './binaries.ts';
import {
  type ControlPlaneFiles,
  filesIn,
  makeTokens,
  renderTokenFile,
  type Users,
  writeControlPlaneFiles,
} from './control-plane-files.ts';
import { Daemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { type Authority, type Certificate, makeAuthority } from './pki.ts';

export interface ControlPlaneOptions {
  readonly authorization: ApiServerSettings['authorization'];
  /** Where clients reach it: loopback unless told otherwise. This process must reach it, too. */
  readonly host?: string;
  readonly port?: number;
  /** More names and addresses under which clients reach it, for its certificate. */
  readonly hosts?: readonly string[];
  /** Kept when given; otherwise one that goes with the sandbox. */
  readonly dir?: string;
  /** The command that leads into the namespace where it is to run, such as `ip netns exec NAME`. */
  readonly prefix?: readonly string[];
  /** Who gets a token beside `admin` and `system:kube-proxy`, and with which groups. */
  readonly users?: Users;
  readonly auditLog?: boolean;
  readonly runtimeConfig?: readonly string[];
  readonly serviceCidrs?: readonly string[];
  /** Where real kubelets and their pods reach it, on the same port; absent where there are none. */
  readonly reachedByKubeletsAt?: string;
}

const startupMs = 60_000;
const admin = 'admin';
const everyonesUsers = { [admin]: ['system:masters'], 'system:kube-proxy': [] } satisfies Users;

/** Big enough for thousands of Services, which no documentation range is. */
export const defaultServiceCidrs: readonly string[] = ['10.96.0.0/16', 'fd00:96::/108'];

export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  if (!isInSandbox()) throw new Error('a control plane runs inside the sandbox only');
  const controlPlane = new ControlPlane(options, {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? (await freePort()),
    etcdPort: await freePort(),
    authorization: options.authorization,
    auditLog: options.auditLog ?? false,
    runtimeConfig: options.runtimeConfig ?? [],
    serviceCidrs: options.serviceCidrs ?? defaultServiceCidrs,
    reachedByKubeletsAt: options.reachedByKubeletsAt,
  });
  try {
    await controlPlane.start(await freePort());
    return controlPlane;
  } catch (error) {
    await controlPlane.stop();
    throw error;
  }
}

export class ControlPlane implements AsyncDisposable {
  readonly url: string;
  readonly dir: string;
  readonly #settings: ApiServerSettings;
  readonly #files: ControlPlaneFiles;
  readonly #prefix: readonly string[];
  readonly #isDirOurs: boolean;
  readonly #authority: Authority = makeAuthority();
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #client: ApiClient;
  #etcd: Daemon | undefined;
  #apiServer: Daemon | undefined;

  constructor(options: ControlPlaneOptions, settings: ApiServerSettings) {
    const { host, port } = settings;
    this.url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
    this.#settings = settings;
    this.#prefix = options.prefix ?? [];
    this.#isDirOurs = options.dir === undefined;
    // In the sandbox /run is memory, and gone with it.
    this.dir = options.dir ?? mkdtempSync('/run/control-plane-');
    this.#files = filesIn(this.dir);
    const users = { ...everyonesUsers, ...options.users };
    this.#tokens = makeTokens(users);
    const usual = ['127.0.0.1', '::1', 'localhost', 'kubernetes.default.svc'];
    const hosts = [host, ...usual, ...(options.hosts ?? [])];
    const tokenFile = renderTokenFile(users, this.#tokens);
    writeControlPlaneFiles(this.#files, { authority: this.#authority, hosts, tokenFile });
    this.#client = new ApiClient(this.url, this.ca, { token: this.adminToken });
  }

  /** The authority's certificate, in PEM. */
  get ca(): string {
    return this.#authority.ca;
  }

  get adminToken(): string {
    return this.token(admin);
  }

  /** Of a user that was named at the start: the API server reads its list of tokens only then. */
  token(user: string): string {
    const token = this.#tokens.get(user);
    if (token === undefined) throw new Error(`"${user}" is not among the users of the start`);
    return token;
  }

  /** For any user at any time. */
  clientCertificate(user: string, groups: readonly string[] = []): Certificate {
    return this.#authority.issue({ commonName: user, organisations: groups, client: true });
  }

  /** Writes a kubeconfig for one of the users and returns its path. */
  kubeconfig(path: string, user = admin): string {
    const credentials = { token: this.token(user) };
    return writeKubeconfig(path, { url: this.url, ca: this.ca, user, credentials });
  }

  /** As the administrator. */
  async request(request: ApiRequest): Promise<Answer> {
    return this.#client.send(request);
  }

  /** Every request but watches since the start, if the audit log was asked for. */
  auditEntries(): readonly AuditEntry[] {
    const { auditLog } = this.#files;
    return existsSync(auditLog) ? parseAuditLog(readFileSync(auditLog, 'utf8')) : [];
  }

  /** Where its keys and logs are. */
  get files(): ControlPlaneFiles {
    return this.#files;
  }

  /** Resident memory in bytes. */
  get memory(): { readonly etcd: number; readonly apiServer: number } {
    return { etcd: this.#etcd?.memory ?? 0, apiServer: this.#apiServer?.memory ?? 0 };
  }

  async start(etcdPeerPort: number): Promise<void> {
    this.#etcd = await this.#startEtcd(etcdPeerPort);
    await this.startApiServer();
  }

  /** A single member needs no time to hear of others, and nothing of it is worth waiting for a disk. */
  async #startEtcd(peerPort: number): Promise<Daemon> {
    const clients = `http://127.0.0.1:${this.#settings.etcdPort}`;
    const peers = `http://127.0.0.1:${peerPort}`;
    const flags = [
      `--data-dir=${this.#files.etcdData}`,
      '--unsafe-no-fsync',
      '--heartbeat-interval=10',
      '--election-timeout=100',
      `--listen-client-urls=${clients}`,
      `--advertise-client-urls=${clients}`,
      `--listen-peer-urls=${peers}`,
      `--initial-advertise-peer-urls=${peers}`,
      `--initial-cluster=default=${peers}`,
    ];
    const logFile = this.#files.etcdLog;
    const argv = [binaryPath('etcd'), ...flags];
    const etcd = await Daemon.start(argv, { prefix: this.#prefix, logFile });
    // Read from its log, since its loopback may not be ours.
    const isReady = async () => readFileSync(logFile, 'utf8').includes('ready to serve client');
    await etcd.whenReady(isReady, startupMs);
    return etcd;
  }

  /** Resolves when the server is ready and its first objects are there. */
  async startApiServer(): Promise<void> {
    const argv = [binaryPath('kube-apiserver'), ...apiServerArguments(this.#settings, this.#files)];
    const logFile = this.#files.apiServerLog;
    this.#apiServer = await Daemon.start(argv, { prefix: this.#prefix, logFile });
    const isThere = async (path: string) =>
      (await this.request({ method: 'GET', path, timeoutMs: 2000 })).status === 200;
    await this.#apiServer.whenReady(
      async () => (await isThere('/readyz')) && (await isThere('/api/v1/namespaces/default')),
      startupMs,
    );
  }

  /** As a crash would: connections are reset, new ones refused. What was written stays. */
  async stopApiServer(): Promise<void> {
    await this.#apiServer?.kill();
  }

  /** From when this resolves, connections stay open and new ones are accepted, but nothing is answered. */
  async freeze(): Promise<void> {
    await this.#apiServer?.freeze();
  }

  thaw(): void {
    this.#apiServer?.thaw();
  }

  async stop(): Promise<void> {
    this.#client.close();
    await Promise.all([this.#apiServer?.kill(), this.#etcd?.kill()]);
    if (this.#isDirOurs) rmSync(this.dir, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
