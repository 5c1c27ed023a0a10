/** More Services than the one that is measured. */

import { isNotFound } from '../../src/kube/api-error.ts';
import { mergePatch } from '../../src/kube/patch.ts';
import { services } from '../../src/kube/resources.ts';
import type { Ip } from '../../src/model/ip.ts';
import { addressesOf } from '../cluster/workload.ts';
import { eventually } from '../eventually.ts';
import type { FailoverWorld } from './failover-world.ts';
import { namespace, service } from './measured-service.ts';

const patienceMs = 60_000;

export class Crowd {
  readonly #world: FailoverWorld;
  readonly #names: readonly string[];

  /** So many Services of both families, all on one node. */
  static async gather(world: FailoverWorld, node: string, count: number): Promise<Crowd> {
    const crowd = new Crowd(world, count);
    const others = world.candidates.filter((each) => each !== node);
    const isThere = () => {
      const held = world.cluster.addresses.filter((each) => each.node === node).length;
      if (held < 2 * count + 1) throw new Error(`${node} holds ${held} addresses`);
    };
    await Promise.all(others.map((each) => world.exclude(each, true)));
    await forMany(crowd.#names, (each) => world.cluster.create(service(each)));
    await eventually(isThere, { withinMs: patienceMs, everyMs: 100 });
    await Promise.all(others.map((each) => world.exclude(each, false)));
    await world.settled();
    return crowd;
  }

  private constructor(world: FailoverWorld, count: number) {
    this.#world = world;
    this.#names = Array.from({ length: count }, (_, index) => `crowd-${index + 1}`);
  }

  /** As `kubectl annotate` does it, one Service after the other. */
  async move(target: string): Promise<void> {
    const { cluster } = this.#world.cluster;
    for (const name of this.#names) {
      const given = addressesOf(await cluster.get(services, { namespace, name })) as readonly Ip[];
      const wish = given.map((ip) => `${ip}=${target}`).join(',');
      const patch = mergePatch({ metadata: { annotations: { 'purelb.io/move': wish } } });
      await cluster.patch(services, { namespace, name }, patch);
    }
  }

  async leave(): Promise<void> {
    const { cluster } = this.#world.cluster;
    await forMany(this.#names, (name) => cluster.delete(services, { namespace, name }));
    await forMany(this.#names, (name) => this.#gone(name));
  }

  /** The allocator takes its addresses back first. */
  async #gone(name: string): Promise<void> {
    const { cluster } = this.#world.cluster;
    const isGone = async () => {
      const found = await cluster.get(services, { namespace, name }).then(() => true, isOther);
      if (found) throw new Error(`${name} is still there`);
    };
    await eventually(isGone, { withinMs: patienceMs, everyMs: 100 });
  }
}

function isOther(error: unknown): boolean {
  return !isNotFound(error);
}

/** A few at a time. */
async function forMany(names: readonly string[], act: (name: string) => Promise<unknown>) {
  const left = [...names];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await act(name);
  };
  await Promise.all(Array.from({ length: 8 }, work));
}
