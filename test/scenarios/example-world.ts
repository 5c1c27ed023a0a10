/** The original documentation's cluster: its network, no groups yet, an allocator, agents, and kubectl. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { binaryPath } from '../../lab/control-plane/binaries.ts';
import { writeKubeconfig } from '../../lab/control-plane/kubeconfig.ts';
import { eventually } from '../../lab/eventually.ts';
import { resourceOf } from '../../lab/manifest.ts';
import { run } from '../../lab/process/run.ts';
import { type Resource, refOf } from '../../src/kube/resource.ts';
import { namespaces, serviceGroups, services } from '../../src/kube/resources.ts';
import type { KubeObject } from '../../src/model/kube-object.ts';
import type { ChildAllocator } from '../allocator/test-allocator.ts';
import { AgentWorld } from './agent-world.ts';
import { planExamples } from './example-network.ts';
import { startAllocator } from './start-allocator.ts';
import type { WorldApi } from './world-options.ts';

export class ExampleWorld implements AsyncDisposable {
  readonly agents: AgentWorld;
  readonly #allocator: ChildAllocator;
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-examples-'));

  static async open(api: () => Promise<WorldApi>): Promise<ExampleWorld> {
    const plan = planExamples();
    const agents = await AgentWorld.open({ api, plan, groups: {}, hasAllocator: true });
    try {
      await agents.cluster.create(namespaces, { metadata: { name: 'test' } });
      const allocator = await startAllocator(agents);
      await agents.members(3);
      return new ExampleWorld(agents, allocator);
    } catch (error) {
      await agents[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(agents: AgentWorld, allocator: ChildAllocator) {
    this.agents = agents;
    this.#allocator = allocator;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#allocator.stop();
    await this.agents[Symbol.asyncDispose]();
    rmSync(this.#folder, { recursive: true });
  }

  /** Creates what the text describes. */
  async apply(yaml: string): Promise<void> {
    const object = parse(yaml) as KubeObject;
    await this.agents.cluster.create({ ...resourceOf(object), isNamespaced: true }, object);
  }

  /** All Services and groups; resolves when they are gone. */
  async clear(): Promise<void> {
    await eventually(
      async () => {
        const left = [...(await this.#remove(services)), ...(await this.#remove(serviceGroups))];
        if (left.length > 0) throw new Error(`what is left: ${left.join(', ')}`);
      },
      { withinMs: 20_000, everyMs: 100 },
    );
  }

  /** Returns the names of what there was. */
  async #remove(resource: Resource): Promise<readonly string[]> {
    const { cluster } = this.agents;
    const found: KubeObject[] = [];
    for await (const { items } of cluster.list(resource)) found.push(...items);
    const ours = found.filter(({ metadata }) => metadata.name !== 'kubernetes');
    await Promise.all(ours.map((each) => cluster.delete(resource, refOf(each)).catch(() => {})));
    return ours.map(({ metadata }) => metadata.name);
  }

  /** As an administrator. */
  async kubectl(...args: readonly string[]): Promise<string> {
    const { url, ca, adminToken } = this.agents.api;
    const path = join(this.#folder, 'kubeconfig');
    const credentials = { token: adminToken };
    writeKubeconfig(path, { url, ca: ca ?? '', user: 'admin', credentials });
    const argv = [binaryPath('kubectl'), '--kubeconfig', path, '--cache-dir', this.#folder];
    return (await run([...argv, ...args])).stdout;
  }

  /** Of a node's link, the lines about one address, without the marks by which an agent knows its own. */
  async addressLines(node: string, link: string, ip: string): Promise<readonly string[]> {
    const { stdout } = await this.agents.lab.host(node).run(['ip', 'addr', 'show', 'dev', link]);
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ (proto|metric) \S+/g, ''));
    const at = lines.findIndex((line) => line.includes(` ${ip}/`));
    return at < 0 ? [] : lines.slice(at, at + 2);
  }
}
