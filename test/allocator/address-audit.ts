/** Looks at every single write to a Service, and at the whole once all is quiet. */

import assert from 'node:assert/strict';
import type { KubeObject } from '../../src/model/kube-object.ts';
import { installNamespace } from './allocator-world.ts';
import { ipsIn } from './random-history.ts';
import type { SimulatedCluster } from './simulated-cluster.ts';

/** Foreign Services, by key: their versions after their owner has written them last. */
export class AddressAudit {
  readonly #cluster: SimulatedCluster;
  readonly #foreign = new Map<string, string>();
  /** Addresses that a Service has had by its status, and those that were ever in quarantine, by reason. */
  readonly #everHeld = new Set<string>();
  readonly #quarantined = new Map<string, Set<string>>();
  readonly violations: string[] = [];

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
    cluster.api.core.store.collection('services').subscribe(({ key, object }) => {
      if (object !== undefined) this.#check(key, object as unknown as KubeObject);
    });
    cluster.api.core.store.collection('servicegroups').subscribe(({ object }) => {
      const { quarantine = [] } = ((object as unknown as KubeObject | undefined)?.status ??
        {}) as GroupCounts;
      for (const { address, reason } of quarantine) {
        this.#quarantined.set(reason, (this.#quarantined.get(reason) ?? new Set()).add(address));
      }
    });
  }

  #check(key: string, object: KubeObject): void {
    if (object.metadata.name.startsWith('f')) {
      this.#foreign.set(key, writersOf(object).join());
      return;
    }
    for (const ip of ipsIn(object.status)) {
      this.#everHeld.add(ip);
      if (object.metadata.name.startsWith('c')) this.violations.push(`${key} has ${ip}`);
      this.#checkAddress(ip, key, object);
    }
  }

  /** Two Services have one address only if both give one key and have different ports. */
  #checkAddress(ip: string, key: string, object: KubeObject): void {
    for (const other of this.#cluster.list('/api/v1/services')) {
      const otherKey = `${other.metadata.namespace}/${other.metadata.name}`;
      if (otherKey === key) continue;
      if (isRival(object, other, ip)) this.violations.push(`${ip} is on ${key} and on ${otherKey}`);
    }
  }

  /**
   * Nothing waits, nothing is lost: to be called when an allocator has had time to do everything. `reported`: addresses
   * that agents said to be someone else's.
   */
  checkWhole(reported: ReadonlySet<string>): void {
    assert.deepEqual(this.violations, []);
    this.checkRest(reported);
  }

  /**
   * Where two allocators led at once: an address may have been given twice, since a write is bound to the version of its
   * own Service only (decision 0034). Where that lasts, the condition of a Service tells of it. Nothing else may happen.
   */
  checkTold(reported: ReadonlySet<string>): void {
    const others = this.violations.filter((each) => !each.includes(' and on '));
    assert.deepEqual(others, []);
    const services = this.#cluster.list('/api/v1/services');
    const untold = services.flatMap((one) =>
      ipsIn(one.status).filter((ip) => {
        const rivals = services.filter((other) => other !== one && isRival(one, other, ip));
        return rivals.length > 0 && ![one, ...rivals].some((each) => tellsOf(each, ip));
      }),
    );
    assert.deepEqual(untold, [], 'addresses that two Services have, and nobody is told');
    this.checkRest(reported);
  }

  checkRest(reported: ReadonlySet<string>): void {
    this.#checkQuarantine(reported);
    for (const [key, writers] of this.#foreign) {
      assert.ok(!writers.includes('purelb-allocator'), `the foreign ${key} was written by us`);
    }
    const services = this.#cluster.list('/api/v1/services');
    const leaving = services.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    assert.deepEqual(leaving, []);
    for (const group of this.#cluster.list(
      `/apis/purelb.io/v2/namespaces/${installNamespace}/servicegroups`,
    )) {
      this.#checkCounts(group, services);
    }
  }

  /** What tenants write on Services puts nothing aside: only agents' reports do, and addresses that were in use. */
  #checkQuarantine(reported: ReadonlySet<string>): void {
    for (const [reason, ips] of this.#quarantined) {
      const allowed = reason === 'Conflict' ? reported : this.#everHeld;
      assert.deepEqual([...ips.difference(allowed)], [], `${reason} without a cause`);
    }
  }

  /** Addresses in use by the group's books are those that Services have, no more and no less. */
  #checkCounts(group: KubeObject, services: readonly KubeObject[]): void {
    const { allocatedIPv4, allocatedIPv6, addresses } = (group.status ?? {}) as GroupCounts;
    if (addresses === undefined) return;
    const from = services.filter(
      ({ metadata, status }) => ipsIn(status).length > 0 && metadata.name.startsWith('s'),
    );
    const ips = new Set(from.flatMap(({ status }) => ipsIn(status)));
    const inside = [...ips].filter((ip) => addresses.some((range) => contains(range, ip)));
    const v6 = inside.filter((ip) => ip.includes(':')).length;
    const counted = { allocatedIPv4, allocatedIPv6 };
    const expected = { allocatedIPv4: inside.length - v6, allocatedIPv6: v6 };
    assert.deepEqual(counted, expected, `counts of ${group.metadata.name}`);
  }
}

interface GroupCounts {
  readonly allocatedIPv4?: number;
  readonly allocatedIPv6?: number;
  readonly addresses?: readonly string[];
  readonly quarantine?: readonly { readonly address: string; readonly reason: string }[];
}

/** Ranges here differ only in the last part of the address. */
function contains(range: string, ip: string): boolean {
  const [head, last] = split(ip);
  const [text = '', length] = range.split('/');
  const [firstHead, first] = split(text.split('-')[0] ?? '');
  if (head !== firstHead) return false;
  const bits = text.includes(':') ? 128 : 32;
  const [, end] = split(text.split('-')[1] ?? '');
  const top = length === undefined ? end : first + 2 ** (bits - Number(length)) - 1;
  return first <= last && last <= top;
}

function split(ip: string): readonly [head: string, last: number] {
  const at = Math.max(ip.lastIndexOf('.'), ip.lastIndexOf(':'));
  const last = ip.slice(at + 1);
  return [ip.slice(0, at), Number.parseInt(last, ip.includes(':') ? 16 : 10)];
}

/** Whether the other Service has the address too, and the two may not share it. */
function isRival(one: KubeObject, other: KubeObject, ip: string): boolean {
  if (other.metadata.name.startsWith('f') || !ipsIn(other.status).includes(ip)) return false;
  const mayShare = keyOf(one) !== undefined && keyOf(one) === keyOf(other);
  return !mayShare || portOf(one) === portOf(other);
}

function tellsOf({ status }: KubeObject, ip: string): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { message: string }[] };
  return conditions.some(({ message }) => message.includes(ip));
}

function keyOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.['purelb.io/allow-shared-ip'];
}

function portOf({ spec }: KubeObject): number | undefined {
  return (spec as { ports?: readonly { port: number }[] }).ports?.[0]?.port;
}

function writersOf({ metadata }: KubeObject): readonly string[] {
  const { managedFields = [] } = metadata as { managedFields?: readonly { manager: string }[] };
  return managedFields.map(({ manager }) => manager);
}
