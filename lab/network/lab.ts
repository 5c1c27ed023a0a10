import { isInSandbox } from '../sandbox.ts';
import { demolish, namespaces } from './demolish.ts';
import { Host } from './host.ts';
import type { NetworkPlan } from './network-plan.ts';
import { type LanOptions, planLan } from './plan-lan.ts';
import { raise } from './raise.ts';
import { Segment } from './segment.ts';

export interface LabOptions {
  /** Starts the names of its namespaces; by default one that no other lab in the sandbox has. */
  readonly prefix?: string;
}

/** LANs of nodes with a router and a client, ready to use: `await using lab = await lan({ nodes: 3 })`. */
export async function lan(options: LanOptions & LabOptions): Promise<Lab> {
  return Lab.build(planLan(options), options);
}

let labsMade = 0;

/** A network of namespaces. Disposing of it ends every program on it and removes everything that was made. */
export class Lab implements AsyncDisposable {
  readonly prefix: string;
  readonly #hosts = new Map<string, Host>();
  readonly #segments = new Map<string, Segment>();

  static async build(plan: NetworkPlan, { prefix }: LabOptions = {}): Promise<Lab> {
    if (!isInSandbox()) throw new Error('a lab lives in the sandbox: see lab/README.md');
    await demolish(namespaces().filter(isAbandoned));
    labsMade += 1;
    const lab = new Lab(prefix ?? `lab-${process.pid}-${labsMade}-`);
    try {
      await lab.add(plan);
      return lab;
    } catch (error) {
      await lab[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(prefix: string) {
    this.prefix = prefix;
  }

  get hosts(): readonly Host[] {
    return [...this.#hosts.values()];
  }

  get segments(): readonly Segment[] {
    return [...this.#segments.values()];
  }

  get nodes(): readonly Host[] {
    return this.hosts.filter(({ plan }) => plan.role === 'node');
  }

  get clients(): readonly Host[] {
    return this.hosts.filter(({ plan }) => plan.role === 'client');
  }

  /** The first client. */
  get client(): Host {
    return this.clients[0] ?? this.host('client');
  }

  get router(): Host {
    return this.host('router');
  }

  /** The n-th node, counted from 1 like its name. */
  node(number: number): Host {
    return this.host(`node${number}`);
  }

  host(name: string): Host {
    return named('host', name, this.#hosts);
  }

  segment(name: string): Segment {
    return named('segment', name, this.#segments);
  }

  /** Makes what the plan describes, beside what is there already: a node that joins, another LAN. */
  async add(plan: NetworkPlan): Promise<void> {
    const segments = plan.segments.map((segment) => new Segment(segment, this.#named(segment)));
    for (const segment of segments) this.#segments.set(segment.name, segment);
    const hosts = plan.hosts.map((host) => {
      return new Host(host, this.#named(host), (name) => this.segment(name));
    });
    for (const host of hosts) this.#hosts.set(host.name, host);
    await raise(segments, hosts);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.hosts.map((host) => host.halt()));
    await demolish([...this.hosts, ...this.segments].map(({ namespace }) => namespace));
  }

  #named({ name }: { readonly name: string }): string {
    return this.prefix + name;
  }
}

/** Of a lab whose process was killed and could not take it down. */
function isAbandoned(namespace: string): boolean {
  const pid = /^lab-(\d+)-/.exec(namespace)?.[1];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch {
    return true;
  }
}

function named<T>(what: string, name: string, all: ReadonlyMap<string, T>): T {
  const found = all.get(name);
  if (found !== undefined) return found;
  throw new RangeError(
    `no ${what} "${name}" in this lab; there are: ${[...all.keys()].join(', ')}`,
  );
}
