/** The allocator's plan: what one more Service costs beside many, and how that grows. */

import { acceptPools } from '../src/decide/allocation/accept-pools.ts';
import { allocate } from '../src/decide/allocation/allocate.ts';
import { AllocationMemory } from '../src/decide/allocation/allocation-memory.ts';
import type { AllocationState } from '../src/decide/allocation/allocation-state.ts';
import { mergePatch } from '../src/decide/allocation/merge-patch.fixture.ts';
import { planServicePatch } from '../src/decide/allocation/plan-service-patch.ts';
import {
  rawGroup,
  rawService,
  type ServiceText,
} from '../src/decide/allocation/raw-objects.fixture.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import type { LoadBalancer } from '../src/model/load-balancer.ts';
import { must } from '../src/model/parsed.ts';
import { readGroup } from '../src/model/read-group.ts';
import { readService } from '../src/model/read-service.ts';
import { formatTimestamp } from '../src/model/timestamp.ts';
import { loadBalancerClasses } from '../src/model/well-known-names.ts';
import type { Bench, BenchReport } from './bench-report.ts';

const sizes = [1000, 10_000, 100_000] as const;
const now = Date.UTC(2026, 0, 1);

interface Scene {
  readonly name: string;
  readonly pools: readonly string[];
  readonly text: (index: number) => ServiceText;
}

/** Pools far larger than what is used of them, and one that is used up. */
const scenes: readonly Scene[] = [
  { name: 'IPv4 /8', pools: ['10.0.0.0/8 in 10.0.0.0/8'], text: () => ({}) },
  {
    name: 'IPv6 /64',
    pools: ['2001:db8::/64 in 2001:db8::/64'],
    text: () => ({ families: ['IPv6'] }),
  },
  {
    name: 'dual-stack',
    pools: ['10.0.0.0/8 in 10.0.0.0/8', '2001:db8::/64 in 2001:db8::/64'],
    text: () => ({ families: ['IPv4', 'IPv6'] }),
  },
  {
    name: 'IPv6 /64, keys that clash',
    pools: ['2001:db8::/64 in 2001:db8::/64'],
    text: (index) => ({
      families: ['IPv6'],
      annotations: { 'allow-shared-ip': `key-${index >> 2}` },
      ports: [`TCP/${index % 2}1`],
    }),
  },
  { name: 'IPv4 /28, used up', pools: ['192.0.2.0/28'], text: () => ({}) },
];

/** The plainest of them. */
export function measurePlan(report: BenchReport): void {
  for (const scene of scenes.slice(0, 1)) measureScene(scene, report);
}

export const allocatorPlan: Bench = {
  name: 'allocator-plan',
  description: `one more Service beside ${sizes.join(', ')}, and all of them at once`,
  async run(report) {
    for (const scene of scenes) measureScene(scene, report);
  },
};

interface Cost {
  /** Wall clock, ms. */
  readonly ms: number;
  /** Of the thread that plans, ms: what others do on the machine does not count, so growth is judged by it. */
  readonly cpuMs: number;
}

function measureScene(scene: Scene, report: BenchReport): void {
  const burst: Cost[] = [];
  const change: Cost[] = [];
  const remembered: Cost[] = [];
  for (const size of sizes) {
    const objects = Array.from({ length: size }, (_, index) => newService(scene, index));
    const fresh = stateOf(scene, objects);
    burst.push(costOf(() => allocate(fresh), size));
    const settled = stateOf(scene, [...applied(objects, fresh), newService(scene, size)]);
    change.push(costOf(() => allocate(settled), size));
    remembered.push(costOfChanges(scene, settled, size));
  }
  reportCosts(`${scene.name}: one more, the rest remembered`, remembered, report, 100);
  reportCosts(`${scene.name}: one more`, change, report, 100);
  reportCosts(`${scene.name}: all at once`, burst, report);
}

/** `mostMs`: for ten thousand Services. */
function reportCosts(
  name: string,
  costs: readonly Cost[],
  report: BenchReport,
  mostMs?: number,
): void {
  for (const [index, { ms, cpuMs }] of costs.entries()) {
    const target = index === 1 && mostMs !== undefined ? { target: mostMs } : {};
    report.note(`${name}, ${sizes[index]}: ${cpuMs.toFixed(2)} ms of CPU`);
    report.row({
      name: `${name}, ${sizes[index]}`,
      value: ms,
      unit: 'ms',
      better: 'lower',
      ...target,
    });
  }
  for (const [index, { cpuMs }] of costs.entries()) {
    const before = costs[index - 1];
    // What is too short to be measured has no growth either.
    if (before === undefined || before.cpuMs < 1) continue;
    const value = cpuMs / before.cpuMs;
    const what = `… CPU of ${sizes[index]} ÷ ${sizes[index - 1]}`;
    report.row({ name: `${name}, ${what}`, value, unit: '×', better: 'lower', target: 13 });
  }
}

function newService({ text }: Scene, index: number): KubeObject {
  return rawService(`bench/service-${index}`, text(index), {
    uid: `uid-${index}`,
    resourceVersion: '1',
    creationTimestamp: formatTimestamp(now - 1e9 + index * 1000),
  });
}

function stateOf(scene: Scene, objects: readonly KubeObject[]): AllocationState {
  const services = objects.map((object): LoadBalancer => must(readService(object)));
  const metadata = { name: 'default', namespace: 'purelb-system', generation: 1 };
  const groups = [must(readGroup(rawGroup(scene.pools, metadata)))];
  return {
    services,
    pools: acceptPools({ groups, services, installNamespace: 'purelb-system' }),
    namespaces: new Map(),
    subnets: [],
    lostHolders: new Map(),
    conflicts: new Map(),
    answers: new Map(),
    policyRewrites: new Map(),
    settings: { classes: loadBalancerClasses, isDefaultAnnouncer: true, convergesUnasked: false },
    now,
  };
}

/** The objects after the plan was written. */
function applied(objects: readonly KubeObject[], state: AllocationState): readonly KubeObject[] {
  const decisions = new Map(
    allocate(state).decisions.map((decision) => [decision.service.identity.uid, decision]),
  );
  return objects.map((object) => {
    const decision = decisions.get(object.metadata.uid ?? '');
    if (decision === undefined || decision.kind === 'ignore') return object;
    return mergePatch(object, planServicePatch(object, decision, now) ?? {}) as KubeObject;
  });
}

/** Each plan sees another new Service beside those that it remembers. */
function costOfChanges(scene: Scene, settled: AllocationState, size: number): Cost {
  const others = settled.services.slice(0, -1);
  const states = Array.from({ length: warmUps + runsOf(size) }, (_, index): AllocationState => {
    const service: LoadBalancer = must(readService(newService(scene, size + index)));
    return { ...settled, services: [...others, service] };
  });
  const memory = new AllocationMemory();
  allocate(settled, memory);
  const next = states.values();
  return costOf(() => allocate(next.next().value ?? settled, memory), size);
}

const warmUps = 3;

function runsOf(size: number): number {
  return size >= 100_000 ? 5 : 20;
}

/** The least time, because what disturbs only adds; and the CPU of all together, because single ones are too short. */
function costOf(action: () => void, size: number): Cost {
  for (let run = 0; run < warmUps; run += 1) action();
  const times: number[] = [];
  const cpu = process.threadCpuUsage();
  for (let run = 0; run < runsOf(size); run += 1) {
    const startedAt = performance.now();
    action();
    times.push(performance.now() - startedAt);
  }
  const { user, system } = process.threadCpuUsage(cpu);
  return { ms: Math.min(...times), cpuMs: (user + system) / 1000 / times.length };
}
