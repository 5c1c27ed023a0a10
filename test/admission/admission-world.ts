/** An API server with everything of `deploy`, a Service that PureLB serves, and tokens for those who ask. */

import { ApiClient, type ApiRequest } from '../../lab/control-plane/api-client.ts';
import { namespace, node } from '../../lab/control-plane/objects.ts';
import { createObject } from '../../lab/control-plane/write-object.ts';
import { eventually } from '../../lab/eventually.ts';
import { policyManifests, readManifest } from '../../lab/manifest.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { accountToken, podToken } from '../pod-token.ts';

export type Send = (request: ApiRequest) => Promise<Reply>;

export interface Reply {
  readonly status: number;
  readonly message: string;
  readonly body: unknown;
}

const installed = [
  ...['crds/purelb.io_servicegroups', 'crds/purelb.io_lbnodeagents'],
  ...['crds/bgp.purelb.io_bgpconfigurations', 'crds/bgp.purelb.io_bgpnodestatuses'],
  ...['rbac/agent', 'rbac/allocator', 'bgp/rbac'],
  ...policyManifests,
  'agent',
];
const purelb = 'purelb-system';
const tenant = 'tenant';

/** A real API server, or the embedded one. */
export interface AdmissionServer {
  readonly url: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly tenantToken: string;
  stop(): Promise<void>;
}

export type StartAdmissionServer = (tenant: string) => Promise<AdmissionServer>;

export class AdmissionWorld implements AsyncDisposable {
  readonly #server: AdmissionServer;
  readonly #clients: ApiClient[] = [];
  readonly #admin: ApiClient;

  static async open(start: StartAdmissionServer): Promise<AdmissionWorld> {
    const world = new AdmissionWorld(await start(tenant));
    try {
      await world.#install();
      return world;
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(server: AdmissionServer) {
    this.#server = server;
    this.#admin = new ApiClient(server.url, server.ca, { token: server.adminToken });
    this.#clients.push(this.#admin);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) client.close();
    await this.#server.stop();
  }

  readonly admin: Send = async (request) => replyOf(await this.#admin.send(request));

  /** Someone with the usual role `edit` in the namespace `shop`, who may write the status of Services as well. */
  tenant(): Send {
    return this.#client(this.#server.tenantToken);
  }

  /** With the token of a pod on this node; without a node it is a token that no pod has. */
  async account(name: string, onNode?: string): Promise<Send> {
    const send = (request: ApiRequest) => this.#admin.send(request);
    const account = { namespace: purelb, name };
    const token = await (onNode === undefined
      ? accountToken(send, account)
      : podToken(send, { ...account, node: onNode }));
    return this.#client(token);
  }

  async create(object: KubeObject): Promise<KubeObject> {
    return createObject((request) => this.#admin.send(request), object);
  }

  #client(token: string): Send {
    const client = new ApiClient(this.#server.url, this.#server.ca, { token });
    this.#clients.push(client);
    return async (request) => replyOf(await client.send(request));
  }

  async #install(): Promise<void> {
    for (const name of [purelb, 'shop']) await this.create(namespace(name));
    for (const name of ['node1', 'node2', 'node3']) {
      await this.create(node({ name, addresses: ['192.0.2.11'] }));
    }
    for (const object of installed.flatMap(readManifest)) await this.create(object);
    for (const object of tenantRights) await this.create(object);
    await this.#untilPoliciesHold();
  }

  /** The API server takes a moment to read new policies; each is asked until it refuses. */
  async #untilPoliciesHold(): Promise<void> {
    const agent = await this.account('lbnodeagent');
    const allocator = await this.account('allocator');
    await this.create(plainService('probe'));
    await this.create(netboxGroup('probe'));
    const probe = '/api/v1/namespaces/shop/services/probe';
    const group = `/apis/purelb.io/v2/namespaces/${purelb}/servicegroups/probe`;
    const mark = (name: string) => ({ metadata: { annotations: { [name]: 'x' } } });
    const asked: readonly [Send, ApiRequest][] = [
      [agent, { method: 'POST', path: `${leases}?dryRun=All`, body: lease('node1') }],
      [agent, { method: 'PATCH', path: `${probe}/status?dryRun=All`, body: mark('a') }],
      [allocator, { method: 'PATCH', path: `${probe}?dryRun=All`, body: mark('a') }],
      [allocator, { method: 'PATCH', path: `${group}?dryRun=All`, body: mark('a') }],
      [allocator, { method: 'POST', path: `${leases}?dryRun=All`, body: lease('node1') }],
      [this.tenant(), { method: 'PATCH', path: probe, body: mark('purelb.io/allocated-by') }],
    ];
    for (const [send, request] of asked) {
      const refusal = async () => {
        const { status, message } = await send(request);
        if (status === 403 && message.includes('ValidatingAdmissionPolicy')) return;
        throw new Error(`not refused by a policy yet: ${request.path}: ${status} ${message}`);
      };
      await eventually(refusal, { withinMs: 20_000, everyMs: 100 });
    }
  }
}

export const leases = `/apis/coordination.k8s.io/v1/namespaces/${purelb}/leases`;

export function lease(onNode: string, more: object = {}, holder = onNode): KubeObject {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: `purelb-node-${onNode}`, namespace: purelb, ...more },
    spec: { holderIdentity: holder, leaseDurationSeconds: 10 },
  };
}

export function netboxGroup(name: string, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'purelb.io/v2',
    kind: 'ServiceGroup',
    metadata: { name, namespace: purelb, ...metadata },
    spec: { netbox: { url: 'https://netbox.example', tenant: 'kubernetes' } },
  };
}

export function plainService(name: string, metadata: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop', ...metadata },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec },
  };
}

function replyOf({ status, body }: { readonly status: number; readonly body: unknown }): Reply {
  const { message = '' } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly message?: string;
  };
  return { status, message, body };
}

const rbac = 'rbac.authorization.k8s.io';

/** As `edit` has it for Services, and the right to write their status. */
const tenantRules = [
  {
    apiGroups: [''],
    resources: ['services', 'services/status'],
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  },
];

const tenantRights: readonly KubeObject[] = [
  {
    apiVersion: `${rbac}/v1`,
    kind: 'Role',
    metadata: { name: tenant, namespace: 'shop' },
    rules: tenantRules,
  },
  {
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: { name: tenant, namespace: 'shop' },
    roleRef: { apiGroup: rbac, kind: 'Role', name: tenant },
    subjects: [{ apiGroup: rbac, kind: 'User', name: tenant }],
  },
];
