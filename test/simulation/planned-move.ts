/** A cluster in which addresses are moved on purpose, with what must hold meanwhile looked at all the time. */

import assert from 'node:assert/strict';
import { type Ip, ipOf } from '../../src/model/ip.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { Simulation } from './simulation.ts';

export const bothVips: readonly Ip[] = ['192.0.2.100', '2001:db8:1::100'].map(ipOf);
const excludeLabel = 'node.kubernetes.io/exclude-from-external-load-balancers';
const leases = '/apis/coordination.k8s.io/v1/namespaces/purelb-system/leases';

export class PlannedMove {
  readonly simulation: Simulation;
  readonly ips: readonly Ip[];
  /** The longest since `begin`. */
  longestOverlapMs = 0;
  longestVacancyMs = 0;
  readonly #twoSince = new Map<Ip, number>();
  readonly #noneSince = new Map<Ip, number>();
  #since = 0;

  private constructor(simulation: Simulation, ips: readonly Ip[]) {
    this.simulation = simulation;
    this.ips = ips;
  }

  /** Each address on a Service of its own. */
  static async open({ nodes = 3, seed = 1, ips = bothVips } = {}): Promise<PlannedMove> {
    const simulation = new Simulation({ seed, nodes });
    await simulation.start();
    for (const ip of ips) simulation.serve(nameOf(ip), ip);
    await simulation.clock.advance(8_000);
    const move = new PlannedMove(simulation, ips);
    simulation.onStep = () => move.#check();
    move.begin();
    return move;
  }

  begin(): void {
    this.#since = this.simulation.clock.monotonic();
    this.longestOverlapMs = 0;
    this.longestVacancyMs = 0;
  }

  node(name: string | undefined): SimulatedNode {
    const found = this.simulation.nodes.find((one) => one.name === name);
    assert.ok(found !== undefined, `there is no node ${name}`);
    return found;
  }

  holderOf(ip: Ip): SimulatedNode {
    return this.node(this.simulation.holders(ip)[0]);
  }

  others(...nodes: readonly SimulatedNode[]): readonly SimulatedNode[] {
    return this.simulation.nodes.filter((one) => !nodes.includes(one));
  }

  label({ name }: SimulatedNode, value: string | null): void {
    const metadata = { labels: { [excludeLabel]: value } };
    this.simulation.send('PATCH', `/api/v1/nodes/${name}`, { metadata });
  }

  cordon({ name }: SimulatedNode): void {
    this.simulation.send('PATCH', `/api/v1/nodes/${name}`, { spec: { unschedulable: true } });
  }

  ask(ip: Ip, node: string): void {
    const metadata = { annotations: { 'purelb.io/move': `${ip}=${node}` } };
    this.simulation.send('PATCH', serviceUrl(ip), { metadata });
  }

  annotation(ip: Ip, name: string): string | undefined {
    return this.simulation.send('GET', serviceUrl(ip)).metadata.annotations?.[name];
  }

  leaseOf({ name }: Pick<SimulatedNode, 'name'>) {
    const url = `${leases}/purelb-node-${name}`;
    return { url, object: this.simulation.send('GET', url) };
  }

  handingOf(node: SimulatedNode): string {
    return this.leaseOf(node).object.metadata.annotations?.['purelb.io/handing'] ?? '';
  }

  async live(ms: number): Promise<void> {
    await this.simulation.clock.advance(ms);
  }

  /** In steps of a millisecond. */
  async until(what: string, isSo: () => boolean, withinMs = 5_000): Promise<void> {
    for (let passed = 0; passed < withinMs; passed += 1) {
      if (isSo()) return;
      await this.live(1);
    }
    assert.fail(`${what}: not within ${withinMs} ms\n${this.story()}`);
  }

  async untilTwoHold(ip: Ip): Promise<SimulatedNode> {
    const holder = this.holderOf(ip);
    await this.until('two hold it', () => this.simulation.holders(ip).length === 2);
    return this.node(this.simulation.holders(ip).find((name) => name !== holder.name));
  }

  /** Nobody noticed anything, and nobody held anything with another for longer than a handover takes. */
  assertSmooth(): void {
    this.assertSilence(0);
    assert.equal(this.longestVacancyMs, 0, this.story());
    this.assertOverlap(800);
  }

  assertSilence(mostMs: number): void {
    for (const ip of this.ips) {
      const ms = this.simulation.client.longestSilence(ip, this.#since);
      assert.ok(ms <= mostMs, `${ip} was silent for ${ms} ms\n${this.story()}`);
    }
  }

  assertOverlap(mostMs: number): void {
    const { longestOverlapMs: ms } = this;
    assert.ok(ms <= mostMs, `two held an address for ${ms} ms\n${this.story()}`);
  }

  assertOneHolder(): void {
    for (const ip of this.ips) {
      const found = this.simulation.holders(ip);
      assert.equal(found.length, 1, `${ip} is on [${found.join(' ')}]\n${this.story()}`);
    }
  }

  story(): string {
    const lines = this.simulation.nodes.flatMap(({ name, log }) => {
      return log.slice(-15).map((line) => ({ name, line }));
    });
    return lines.map(({ name, line }) => `${name} ${line}`).join('\n');
  }

  #check(): void {
    const now = this.simulation.clock.monotonic();
    for (const ip of this.ips) {
      const count = this.simulation.holders(ip).length;
      const overlap = lasted(this.#twoSince, ip, count > 1, now);
      const vacancy = lasted(this.#noneSince, ip, count === 0, now);
      this.longestOverlapMs = Math.max(this.longestOverlapMs, overlap);
      this.longestVacancyMs = Math.max(this.longestVacancyMs, vacancy);
    }
  }
}

function lasted(since: Map<Ip, number>, ip: Ip, isSo: boolean, now: number): number {
  if (!isSo) {
    since.delete(ip);
    return 0;
  }
  const from = since.get(ip) ?? now;
  since.set(ip, from);
  return now - from;
}

function nameOf(ip: Ip): string {
  return `s-${ip.replace(/[.:]+/g, '-')}`;
}

function serviceUrl(ip: Ip): string {
  return `/api/v1/namespaces/shop/services/${nameOf(ip)}`;
}
