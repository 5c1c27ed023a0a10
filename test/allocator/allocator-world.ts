/** A cluster for the allocator's tests: an API server with our CRDs and roles, and short ways to write and look. */

import { eventually } from '../../lab/eventually.ts';
import { policyManifests, readManifest, resourceOf } from '../../lab/manifest.ts';
import { isAlreadyExists, isNotFound } from '../../src/kube/api-error.ts';
import type { ApiServerConfig } from '../../src/kube/api-server-config.ts';
import { HttpCluster } from '../../src/kube/http-cluster.ts';
import { HttpsTransport } from '../../src/kube/https-transport.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import type { Resource } from '../../src/kube/resource.ts';
import { events, leases, namespaces, serviceGroups, services } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';

export const allocatorUser = 'system:serviceaccount:purelb-system:allocator';
export const installNamespace = 'purelb-system';

/** What the world stands on: the embedded API server or a real one. */
export interface WorldServer {
  readonly url: string;
  readonly ca: string | undefined;
  readonly adminToken: string;
  readonly allocatorToken: string;
}

type Fields = Readonly<Record<string, unknown>>;

export interface ServiceWish {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly spec?: Fields;
  readonly port?: number;
}

export class AllocatorWorld {
  readonly server: WorldServer;
  readonly cluster: HttpCluster;
  readonly #transport: HttpsTransport;

  constructor(server: WorldServer) {
    this.server = server;
    const clock = new SystemClock();
    this.#transport = new HttpsTransport(configFor(server, server.adminToken), clock);
    this.cluster = new HttpCluster({ transport: this.#transport, clock });
  }

  /** How the allocator reaches it, as itself. */
  get apiServer(): ApiServerConfig {
    return configFor(this.server, this.server.allocatorToken);
  }

  /** CRDs, roles and namespaces; what is there already stays. */
  async prepare(): Promise<void> {
    for (const name of [installNamespace, 'shop', 'tenant']) {
      await this.create(namespaces, { metadata: { name, labels: { team: name } } });
    }
    for (const name of ['crds/purelb.io_servicegroups', 'rbac/allocator', ...policyManifests]) {
      for (const object of readManifest(name)) await this.create(resourceOf(object), object);
    }
    await eventually(() => this.#count(serviceGroups), { withinMs: 10_000 });
  }

  close(): void {
    this.#transport.close();
  }

  async #count(resource: Resource): Promise<number> {
    let count = 0;
    for await (const { items } of this.cluster.list(resource)) count += items.length;
    return count;
  }

  async create(resource: Resource, object: KubeObject): Promise<void> {
    try {
      await this.cluster.create(resource, object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async group(name: string, spec: Fields, namespace = installNamespace): Promise<void> {
    await this.create(serviceGroups, { metadata: { name, namespace }, spec });
  }

  async editGroup(name: string, spec: Fields, namespace = installNamespace): Promise<void> {
    await this.cluster.patch(serviceGroups, { namespace, name }, mergePatch({ spec }));
  }

  async removeGroup(name: string, namespace = installNamespace): Promise<void> {
    await this.cluster.delete(serviceGroups, { namespace, name });
  }

  async service(name: string, wish: ServiceWish = {}): Promise<void> {
    const { namespace = 'shop', annotations = {}, labels = {}, finalizers = [], port = 80 } = wish;
    const metadata = { name, namespace, annotations, labels, finalizers };
    const ports = [{ port, protocol: 'TCP' }];
    const spec = { type: 'LoadBalancer', ports, ...wish.spec };
    await this.cluster.create(services, { metadata, spec });
  }

  async editService(name: string, patch: Fields, namespace = 'shop'): Promise<void> {
    await this.cluster.patch(services, { namespace, name }, mergePatch(patch));
  }

  async writeServiceStatus(name: string, status: Fields, namespace = 'shop'): Promise<void> {
    const options = { subresource: 'status' } as const;
    await this.cluster.patch(services, { namespace, name }, mergePatch({ status }), options);
  }

  async removeService(name: string, namespace = 'shop'): Promise<void> {
    await this.cluster.delete(services, { namespace, name });
  }

  /** The Lease of a node's agent. */
  async renewNode(
    name: string,
    subnets: string,
    { namespace = installNamespace, annotations = {} } = {},
  ): Promise<void> {
    const renewTime = new Date().toISOString().replace('Z', '000Z');
    const object = {
      metadata: {
        name: `purelb-node-${name}`,
        namespace,
        annotations: { 'purelb.io/subnets': subnets, 'purelb.io/instance': '1', ...annotations },
      },
      spec: { holderIdentity: name, leaseDurationSeconds: 10, renewTime },
    };
    await this.create(leases, object);
    const ref = { namespace, name: object.metadata.name };
    await this.cluster.patch(leases, ref, mergePatch({ spec: { renewTime } }));
  }

  async get(resource: Resource, name: string, namespace: string): Promise<KubeObject | undefined> {
    try {
      return await this.cluster.get(resource, { namespace, name });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  readService(name: string, namespace = 'shop'): Promise<KubeObject | undefined> {
    return this.get(services, name, namespace);
  }

  /** Everything that we write about a Service; undefined when it is gone. */
  async look(name: string, namespace = 'shop'): Promise<ServiceLook | undefined> {
    const found = await this.readService(name, namespace);
    return found && lookAt(found);
  }

  async groupStatus(name: string, namespace = installNamespace): Promise<Fields> {
    const found = await this.get(serviceGroups, name, namespace);
    return (found?.status ?? {}) as Fields;
  }

  /** The allocator's own events about an object, oldest first: API servers and controllers add theirs as they please. */
  async eventsOf(name: string, namespace = 'shop'): Promise<readonly string[]> {
    const found: { readonly at: string; readonly text: string }[] = [];
    for await (const { items } of this.cluster.list(events, { namespace })) {
      for (const { regarding, reportingController, reason, note, type, eventTime } of items) {
        if (regarding.name !== name || reportingController !== 'purelb-allocator') continue;
        found.push({ at: eventTime, text: `${type} ${reason}: ${note}` });
      }
    }
    return found.sort((left, right) => (left.at < right.at ? -1 : 1)).map(({ text }) => text);
  }

  async allServices(): Promise<readonly KubeObject[]> {
    const all: KubeObject[] = [];
    for await (const { items } of this.cluster.list(services)) all.push(...items);
    return all;
  }

  async allGroups(): Promise<readonly KubeObject[]> {
    const all: KubeObject[] = [];
    for await (const { items } of this.cluster.list(serviceGroups)) all.push(...items);
    return all;
  }
}

export interface ServiceLook {
  readonly ingress: readonly string[];
  /** Ours, without the common prefix. */
  readonly annotations: Fields;
  readonly finalizers: readonly string[];
  /** `status reason: message`. */
  readonly allocated: string | undefined;
}

export function lookAt({ metadata, status }: KubeObject): ServiceLook {
  const { loadBalancer, conditions = [] } = (status ?? {}) as ServiceStatus;
  const annotations = Object.entries(metadata.annotations ?? {})
    .filter(([name]) => name.startsWith('purelb.io/'))
    .map(([name, value]) => [name.replace('purelb.io/', ''), value] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  const allocated = conditions.find(({ type }) => type === 'Allocated');
  return {
    ingress: (loadBalancer?.ingress ?? []).map(({ ip, hostname }) => ip ?? hostname ?? '?'),
    annotations: Object.fromEntries(annotations),
    finalizers: metadata.finalizers ?? [],
    allocated: allocated && `${allocated.status} ${allocated.reason}: ${allocated.message}`,
  };
}

interface ServiceStatus {
  readonly loadBalancer?: { readonly ingress?: readonly { ip?: string; hostname?: string }[] };
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
  }[];
}

function configFor({ url, ca }: WorldServer, token: string): ApiServerConfig {
  return { server: url, token: { text: token }, ...(ca === undefined ? {} : { ca: { text: ca } }) };
}
