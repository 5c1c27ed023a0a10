/** A cluster in memory: Services and ServiceGroups as raw objects, planned for and written to as the allocator does it. */

import assert from 'node:assert/strict';
import { type Conflict, latestByIp } from '../../model/conflict.ts';
import type { Labels } from '../../model/identity.ts';
import { ipOf } from '../../model/ip.ts';
import type { KubeObject, ObjectMeta } from '../../model/kube-object.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { macOf } from '../../model/mac.ts';
import { must } from '../../model/parsed.ts';
import { prefixOf } from '../../model/prefix.ts';
import { type Group, readGroup } from '../../model/read-group.ts';
import { readService } from '../../model/read-service.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { loadBalancerClasses } from '../../model/well-known-names.ts';
import { acceptPools } from './accept-pools.ts';
import { allocate } from './allocate.ts';
import { AllocationMemory } from './allocation-memory.ts';
import type { AllocationPlan, Decision, PlannedEvent } from './allocation-plan.ts';
import type {
  AllocationSettings,
  AllocationState,
  PolicyRewrite,
  SourceAnswer,
  SourceReport,
} from './allocation-state.ts';
import { mergePatch } from './merge-patch.fixture.ts';
import { outcomeOf, planGroupStatus } from './plan-group-status.ts';
import { planPolicyPatch, planServicePatch } from './plan-service-patch.ts';
import { prefixed, rawGroup, rawService, type ServiceText } from './raw-objects.fixture.ts';

/** What tests look at. */
interface GroupStatusText {
  readonly allocatedIPv4: number;
  readonly allocatedIPv6: number;
  readonly availableIPv4: number;
  readonly availableIPv6: number;
  readonly quarantine: readonly unknown[];
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

/** The oldest Service is the one made first. */
export class World {
  readonly services = new Map<string, KubeObject>();
  readonly groups = new Map<string, KubeObject>();
  readonly namespaces = new Map<string, Labels>();
  readonly answers = new Map<string, SourceAnswer>();
  readonly returned = new Set<string>();
  readonly sources = new Map<string, SourceReport>();
  readonly policyRewrites = new Map<string, PolicyRewrite>();
  readonly lostHolders = new Map<string, number>();
  readonly conflicts: Conflict[] = [];
  /** `!` before a subnet: lost lately. */
  subnets: readonly string[] | undefined = [];
  settings: AllocationSettings = {
    classes: loadBalancerClasses,
    isDefaultAnnouncer: true,
    convergesUnasked: false,
  };
  installNamespace = 'purelb-system';
  now = Date.UTC(2026, 0, 1);
  readonly events: string[] = [];
  readonly #memory = new AllocationMemory();
  readonly #readServices = new WeakMap<KubeObject, LoadBalancer>();
  readonly #readGroups = new WeakMap<KubeObject, Group>();
  #made = 0;

  service(key: string, text: ServiceText = {}): this {
    const [namespace = ''] = key.split('/');
    this.services.set(key, rawService(key, text, this.#metadata()));
    if (!this.namespaces.has(namespace)) this.namespaces.set(namespace, new Map());
    return this;
  }

  group(name: string, spec: object | readonly string[], namespace = this.installNamespace): this {
    const metadata = { ...this.#metadata(), namespace, name, generation: 1 };
    this.groups.set(`${namespace}/${name}`, rawGroup(spec, metadata));
    return this;
  }

  /** Replaces annotations (null removes), or anything of the spec. */
  edit(key: string, change: { annotations?: Record<string, string | null>; spec?: object }): this {
    const annotations = prefixed(change.annotations ?? {});
    this.#put(this.services, key, { metadata: { annotations }, spec: change.spec ?? {} });
    return this;
  }

  editGroup(name: string, spec: object | readonly string[]): this {
    const key = `${this.installNamespace}/${name}`;
    const before = this.groups.get(key);
    assert.ok(before !== undefined);
    const generation = (before.metadata.generation ?? 0) + 1;
    const { spec: after } = rawGroup(spec, before.metadata);
    this.groups.set(key, { ...before, metadata: { ...before.metadata, generation }, spec: after });
    return this;
  }

  /** The Lease of a node says that a host outside the cluster answers for the address. */
  report(ip: string, { node = 'node1', seenAt = this.now } = {}): this {
    this.conflicts.push({ ip: ipOf(ip), mac: macOf('02:00:5e:10:00:01'), node, seenAt });
    return this;
  }

  /** The API server empties the status and drops the class. */
  changeType(key: string, type: string): this {
    const spec = { type, loadBalancerClass: null, externalTrafficPolicy: null };
    this.#put(this.services, key, { spec, status: { loadBalancer: { ingress: null } } });
    return this;
  }

  /** Gone at once unless a finalizer holds it. */
  delete(key: string): this {
    const object = this.services.get(key);
    if ((object?.metadata.finalizers ?? []).length === 0) this.services.delete(key);
    else this.#put(this.services, key, { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    return this;
  }

  state(): AllocationState {
    const services = [...this.services.values()].map((object) =>
      once(this.#readServices, object, () => must(readService(object))),
    );
    const groups = [...this.groups.values()].map((object) =>
      once(this.#readGroups, object, () => must(readGroup(object))),
    );
    return {
      services,
      pools: acceptPools({ groups, services, installNamespace: this.installNamespace }),
      namespaces: new Map(this.namespaces),
      subnets: this.subnets?.map((text) => ({
        prefix: prefixOf(text.replace('!', '')),
        isLive: !text.startsWith('!'),
      })),
      lostHolders: this.lostHolders,
      conflicts: latestByIp(this.conflicts),
      answers: this.answers,
      returned: this.returned,
      sources: this.sources,
      policyRewrites: this.policyRewrites,
      settings: this.settings,
      now: this.now,
    };
  }

  plan(): AllocationPlan {
    return allocate(this.state());
  }

  /** One plan, written, or only in part: what is left of a write is nothing, or the test fails. */
  step(isWritten: () => boolean = () => true): AllocationPlan {
    const state = this.state();
    const plan = allocate(state, this.#memory);
    assert.deepEqual(plan, allocate(state), 'what is remembered makes a difference');
    if (isWritten()) this.#writeGroups(state, plan);
    for (const decision of plan.decisions) if (isWritten()) this.#writeService(decision);
    return plan;
  }

  /** Plans and writes until nothing changes any more. */
  settle(most = this.services.size + 3): this {
    for (let round = 0; round < most; round++) {
      const { decisions } = this.step();
      if (!decisions.some((decision) => decision.kind !== 'ignore' && decision.isChange))
        return this;
    }
    assert.fail('the plan does not settle');
  }

  /** `key: addresses`, or why there are none; in the order in which they were made. */
  look(): readonly string[] {
    const { decisions } = this.plan();
    return [...this.services.keys()].map((key) => {
      const decision = decisions.find(({ service }) => service.key === key);
      const ingress = ingressOf(this.services.get(key));
      const text = ingress.join(', ');
      return text === '' ? `${key}: ${whyOf(decision)}` : `${key}: ${text}`;
    });
  }

  addresses(key: string): readonly string[] {
    return ingressOf(this.services.get(key));
  }

  annotation(key: string, name: string): string | undefined {
    return this.services.get(key)?.metadata.annotations?.[`purelb.io/${name}`];
  }

  /** The condition `Allocated`, as `status reason: message`. */
  condition(key: string): string | undefined {
    const object = this.services.get(key);
    const own =
      object && must(readService(object)).conditions.find(({ type }) => type === 'Allocated');
    return own && `${own.status} ${own.reason}: ${own.message}`;
  }

  decision(key: string): Decision {
    const decision = this.plan().decisions.find(({ service }) => service.key === key);
    assert.ok(decision !== undefined, `${key} is not decided on`);
    return decision;
  }

  groupStatus(name: string): Readonly<Partial<GroupStatusText>> {
    const status = this.groups.get(`${this.installNamespace}/${name}`)?.status;
    return typeof status === 'object' && status !== null ? { ...status } : {};
  }

  /** What was said since the last look. */
  takeEvents(): readonly string[] {
    return this.events.splice(0);
  }

  #writeGroups({ pools }: AllocationState, plan: AllocationPlan): void {
    for (const verdict of pools.verdicts) {
      const { namespace, name } = verdict.group.identity;
      const key = `${namespace}/${name}`;
      const object = this.groups.get(key);
      assert.ok(object !== undefined);
      const outcome = outcomeOf(verdict, plan);
      const { body, events } = planGroupStatus(object, verdict, outcome, this.now);
      this.#say(name, events);
      if (body === undefined) continue;
      const written = { ...object, status: JSON.parse(JSON.stringify(body.status)) as unknown };
      this.groups.set(key, written);
      const again = planGroupStatus(written, verdict, outcome, this.now);
      assert.equal(again.body, undefined, 'a status that was written is written again');
    }
  }

  #writeService(decision: Decision): void {
    if (decision.kind === 'ignore') return;
    const { key } = decision.service;
    const object = this.services.get(key);
    assert.ok(object !== undefined);
    const patch = planServicePatch(object, decision, this.now);
    const policy = planPolicyPatch(object, decision);
    assert.equal(decision.isChange, patch !== undefined || policy !== undefined, `${key} isChange`);
    this.#say(key, decision.events);
    if (policy !== undefined) {
      this.#put(this.services, key, policy);
      this.policyRewrites.set(key, { setbacks: 0, refusal: undefined, isUntold: true });
      return;
    }
    if (patch !== undefined) {
      this.#put(this.services, key, patch);
      const rewrite = this.policyRewrites.get(key);
      if (rewrite !== undefined) this.policyRewrites.set(key, { ...rewrite, isUntold: false });
    }
    const written = this.services.get(key);
    if (written === undefined) return;
    assert.equal(planServicePatch(written, decision, this.now), undefined, `${key} written again`);
  }

  #say(subject: string, events: readonly PlannedEvent[]): void {
    for (const { reason, message } of events) this.events.push(`${subject} ${reason}: ${message}`);
  }

  #metadata() {
    this.#made++;
    const createdAt = Date.UTC(2025, 0, 1) + this.#made * 1000;
    return {
      uid: `uid-${this.#made}`,
      resourceVersion: '1',
      creationTimestamp: formatTimestamp(createdAt),
    };
  }

  /** A merge patch, as the API server carries it out: with preconditions, and finalizers. */
  #put(objects: Map<string, KubeObject>, key: string, patch: object): void {
    const before = objects.get(key);
    assert.ok(before !== undefined, key);
    const { metadata = {} } = patch as { metadata?: Partial<ObjectMeta> };
    assert.equal(metadata.uid ?? before.metadata.uid, before.metadata.uid);
    const version = before.metadata.resourceVersion;
    assert.equal(metadata.resourceVersion ?? version, version);
    const after = mergePatch(before, JSON.parse(JSON.stringify(patch)) as unknown) as KubeObject;
    const { finalizers = [], deletionTimestamp } = after.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) {
      objects.delete(key);
      return;
    }
    const resourceVersion = String(Number(version) + 1);
    objects.set(key, { ...after, metadata: { ...after.metadata, resourceVersion } });
  }
}

/** Objects that did not change are read once, as the allocator does it. */
function once<T>(known: WeakMap<KubeObject, T>, object: KubeObject, read: () => T): T {
  const value = known.get(object) ?? read();
  known.set(object, value);
  return value;
}

function ingressOf(object: KubeObject | undefined): readonly string[] {
  const status = object?.status as {
    loadBalancer?: { ingress?: { ip?: string; hostname?: string }[] };
  };
  const ingress = status?.loadBalancer?.ingress ?? [];
  return ingress.map(({ ip, hostname }) => ip ?? hostname ?? '?');
}

function whyOf(decision: Decision | undefined): string {
  if (decision === undefined) return 'not seen';
  if (decision.kind === 'ignore') return `ignored, ${decision.why}`;
  const { kind, condition, waitsFor } = decision;
  if (kind === 'pending') return `pending ${waitsFor.map((wait) => wait.kind).join(', ')}`;
  return condition === undefined ? kind : `${condition.reason}, ${condition.message}`;
}
