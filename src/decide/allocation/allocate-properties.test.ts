/** What holds in every cluster, whatever is asked of it and in whatever order. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { familyOf, type Ip } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import { must } from '../../model/parsed.ts';
import { readService } from '../../model/read-service.ts';
import { allocate } from './allocate.ts';
import type { AllocationPlan } from './allocation-plan.ts';
import { anyWorld, type Step } from './any-world.fixture.ts';
import { World } from './world.fixture.ts';

const runs = { numRuns: 150 };

/** Every step of a cluster's life, each followed by a look. */
function live(steps: readonly Step[], world: World, look: (plan: AllocationPlan) => void): void {
  for (const step of steps) {
    step.run(world);
    look(world.step());
  }
}

function holdersOf(world: World) {
  const services = [...world.services.values()].map((object) => must(readService(object)));
  return services.filter(({ grant }) => grant.ingress.length > 0);
}

test('no address is given to two Services unless they share it by rule', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      live(steps, world, (plan) => assertLawful(world, plan));
    }),
    runs,
  );
});

test('I12: nor is one when the allocator is killed between any two writes, and it goes on from there', () => {
  fc.assert(
    fc.property(anyWorld(), fc.infiniteStream(fc.boolean()), ({ world, steps }, chance) => {
      for (const step of steps) {
        step.run(world);
        assertLawful(
          world,
          world.step(() => chance.next().value),
        );
      }
      world.settle();
    }),
    runs,
  );
});

function assertLawful(world: World, { decisions }: AllocationPlan): void {
  const gains = decisions.flatMap((each) => (each.kind === 'ignore' ? [] : each.gains));
  for (const ip of new Set(gains)) assertShared(world, ip);
}

/** Everyone who has the address, new or old, gives the same key and other ports. */
function assertShared(world: World, ip: Ip): void {
  const users = holdersOf(world).filter(({ grant }) => grant.ingress.includes(ip));
  if (users.length < 2) return;
  const keys = new Set(users.map(({ request }) => request.sharingKey));
  const ports = users.flatMap((user) =>
    user.ports.map(({ protocol, port }) => `${protocol}${port}`),
  );
  assert.ok(
    keys.size === 1 && !keys.has(undefined) && new Set(ports).size === ports.length,
    `${ip} is on ${users.map(({ key }) => key).join(', ')}`,
  );
}

test('a plan that is written leaves nothing to write, unless it freed what others wait for', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      live(steps, world, ({ decisions }) => {
        const isFreeing = decisions.some(
          (decision) => decision.kind !== 'ignore' && decision.givesUp.length > 0,
        );
        if (isFreeing) return;
        const next = world.plan().decisions.filter((each) => each.kind !== 'ignore');
        assert.deepEqual(
          next
            .filter(({ isChange }) => isChange)
            .map(({ kind, service }) => `${kind} ${service.key}`),
          [],
        );
      });
      world.settle();
    }),
    runs,
  );
});

test('the order in which Services and groups come changes nothing', () => {
  fc.assert(
    fc.property(anyWorld(), fc.infiniteStream(fc.nat()), ({ world, steps }, chance) => {
      live(steps, world, () => {
        const state = world.state();
        const shuffled = state.services
          .map((service) => ({ service, at: chance.next().value }))
          .sort((left, right) => left.at - right.at)
          .map(({ service }) => service);
        assert.deepEqual(allocate({ ...state, services: shuffled }), allocate(state));
      });
    }),
    { numRuns: 60 },
  );
});

test('who is served has addresses of its families only, and of all that it requires', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      live(steps, world, () => {});
      world.settle();
      for (const holder of holdersOf(world)) assertFamilies(world, holder);
    }),
    runs,
  );
});

function assertFamilies(world: World, { key, families, grant, familyPolicy }: LoadBalancer): void {
  const held = grant.ingress.map(familyOf);
  assert.deepEqual(
    held.filter((family) => !families.includes(family)),
    [],
    key,
  );
  const missing = families.filter((family) => !held.includes(family));
  const isContent = world.decision(key).kind === 'keep' && familyPolicy !== 'PreferDualStack';
  if (isContent) assert.deepEqual(missing, [], key);
}

test('nothing is taken from a Service that goes on asking for it, conflicts apart', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      for (const step of steps) {
        step.run(world);
        const disputed = findDisputed(world);
        const others = world.step().decisions.filter(({ service }) => service.key !== step.touches);
        const gone = others.flatMap((each) => (each.kind === 'ignore' ? [] : each.givesUp));
        assert.deepEqual(
          gone.filter(({ ip }) => !disputed.has(ip)),
          [],
          step.name,
        );
      }
    }),
    runs,
  );
});

/** Addresses that were ever reported to be someone else's. */
function findDisputed(world: World): ReadonlySet<Ip> {
  const { conflicts, pools } = world.state();
  const known = pools.verdicts.flatMap(({ group }) => group.status.quarantine);
  return new Set([...conflicts.values(), ...known].map(({ ip }) => ip));
}

test('while nodes, labels and answers are unknown, nothing is given up that was given', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      live(steps, world, () => {});
      world.settle();
      world.subnets = undefined;
      world.namespaces.clear();
      world.groups.clear();
      for (const decision of world.plan().decisions) {
        if (decision.kind !== 'ignore') assert.deepEqual(decision.givesUp, []);
      }
    }),
    runs,
  );
});

test('what is not ours is never written to', () => {
  fc.assert(
    fc.property(anyWorld(), ({ world, steps }) => {
      world
        .service('foreign/class', { class: 'example.com/lb', ingress: [{ ip: '192.0.2.1' }] })
        .service('foreign/name', { ingress: [{ hostname: 'lb.example' }] })
        .service('foreign/address', { ingress: [{ ip: '203.0.113.77' }] })
        .service('foreign/plain', { type: 'ClusterIP' });
      const foreign = () => [...world.services].filter(([key]) => key.startsWith('foreign/'));
      const before = structuredClone(foreign());
      live(steps, world, () => {});
      assert.deepEqual(foreign(), before);
    }),
    runs,
  );
});

test('what is free again is given out again, lowest first', () => {
  const sizes = fc.record({ count: fc.integer({ min: 1, max: 12 }), gone: fc.array(fc.nat(11)) });
  fc.assert(
    fc.property(sizes, fc.boolean(), ({ count, gone }, isIpv6) => {
      const world = worldOf(isIpv6);
      const text = isIpv6 ? ({ families: ['IPv6'] } as const) : {};
      for (let index = 0; index < count; index++) world.service(`a/${index}`, text);
      world.settle();
      const freed = [...new Set(gone)]
        .filter((index) => index < count)
        .map((index) => `a/${index}`);
      const expected = freed.flatMap((key) => world.addresses(key));
      for (const key of freed) world.delete(key);
      world.settle();
      for (const key of freed) world.service(`b/${key.slice(2).padStart(2, '0')}`, text);
      world.settle();
      const given = [...world.services.keys()].filter((key) => key.startsWith('b/'));
      assert.deepEqual(new Set(given.flatMap((key) => world.addresses(key))), new Set(expected));
      const [oldest] = given;
      const lowest = expected.toSorted((left, right) => lastNumber(left) - lastNumber(right))[0];
      if (oldest !== undefined) assert.deepEqual(world.addresses(oldest), [lowest]);
    }),
    { numRuns: 60 },
  );
});

function worldOf(isIpv6: boolean): World {
  return new World().group('default', [isIpv6 ? '2001:db8::/124' : '192.0.2.0/28']);
}

function lastNumber(ip: string): number {
  return Number.parseInt(/[^.:]*$/.exec(ip)?.[0] || '0', ip.includes(':') ? 16 : 10);
}
