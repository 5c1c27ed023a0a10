/** Arbitrary small clusters, and arbitrary things that people and agents do in them. */

import fc from 'fast-check';
import { ranges, type ServiceText } from './raw-objects.fixture.ts';
import { World } from './world.fixture.ts';

export interface Step {
  readonly name: string;
  /** The one Service that it is about. */
  readonly touches: string | undefined;
  readonly run: (world: World) => void;
}

const keys = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3'] as const;
const anyKey = fc.constantFrom(...keys);
const anyIp = fc.constantFrom('192.0.2.0', '192.0.2.1', '192.0.2.9', '2001:db8::1', '198.51.100.1');
const anyFamilies = fc.constantFrom(
  ['IPv4'] as const,
  ['IPv6'] as const,
  ['IPv4', 'IPv6'] as const,
  ['IPv6', 'IPv4'] as const,
);
const anyPolicy = fc.constantFrom('PreferDualStack' as const, 'RequireDualStack' as const);
const anyGroup = fc.constantFrom('default', 'small', 'spread', 'none');
const anyPorts = fc.uniqueArray(fc.constantFrom('TCP/80', 'UDP/80', 'TCP/443'), { minLength: 1 });

const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 });

const anyAnnotations = fc
  .record({
    'service-group': sometimes(anyGroup),
    addresses: fc.option(anyIp, { nil: undefined, freq: 1 }),
    'allow-shared-ip': sometimes(fc.constantFrom('k', 'l')),
    'multi-pool': fc.option(fc.constantFrom('true', 'false'), { nil: undefined, freq: 1 }),
    're-evaluate': fc.option(fc.constant('true'), { nil: undefined, freq: 1 }),
  })
  .map((annotations) => withoutAbsent(annotations));

function withoutAbsent(record: Readonly<Record<string, string | undefined>>) {
  const entries = Object.entries(record).filter((entry) => entry[1] !== undefined);
  return Object.fromEntries(entries) as Record<string, string>;
}

const anyText: fc.Arbitrary<ServiceText> = fc
  .record({
    families: anyFamilies,
    policy: anyPolicy,
    ports: anyPorts,
    annotations: anyAnnotations,
  })
  .map(({ policy, ...text }) => ({
    ...text,
    policy: text.families.length > 1 ? policy : 'SingleStack',
  }));

const anyRanges = fc.subarray(
  ['192.0.2.0/30', '192.0.2.8/31', '2001:db8::/127', '2001:db8::8/126'],
  { minLength: 1 },
);

function create(key: string, text: ServiceText): Step {
  return {
    name: `make ${key} ${JSON.stringify(text)}`,
    touches: key,
    run: (world) => {
      if (!world.services.has(key)) world.service(key, text);
    },
  };
}

function edit(key: string, { annotations, families, policy, ports }: ServiceText): Step {
  const gone = {
    'service-group': null,
    addresses: null,
    'allow-shared-ip': null,
    'multi-pool': null,
  };
  const spec = {
    ipFamilies: families,
    ipFamilyPolicy: policy,
    ports: (ports ?? []).map((port) => {
      const [protocol, number] = port.split('/');
      return { protocol, port: Number(number) };
    }),
  };
  return {
    name: `edit ${key} ${JSON.stringify({ families, policy, ports, annotations })}`,
    touches: key,
    run: (world) => {
      if (world.services.has(key))
        world.edit(key, { annotations: { ...gone, ...annotations }, spec });
    },
  };
}

function retype(key: string, type: string): Step {
  return {
    name: `${key} becomes ${type}`,
    touches: key,
    run: (world) => {
      if (world.services.has(key)) world.changeType(key, type);
    },
  };
}

function remove(key: string): Step {
  return { name: `delete ${key}`, touches: key, run: (world) => void world.delete(key) };
}

function regroup(name: string, texts: readonly string[]): Step {
  return {
    name: `group ${name} is ${texts.join()}`,
    touches: undefined,
    run: (world) => {
      const key = `${world.installNamespace}/${name}`;
      if (world.groups.has(key)) world.editGroup(name, texts);
      else world.group(name, texts);
    },
  };
}

function ungroup(name: string): Step {
  return {
    name: `no group ${name}`,
    touches: undefined,
    run: (world) => void world.groups.delete(`${world.installNamespace}/${name}`),
  };
}

/** Someone else answers for the first address of the Service. */
function conflict(key: string): Step {
  return {
    name: `conflict on ${key}`,
    touches: undefined,
    run: (world) => {
      const [ip] = world.addresses(key);
      if (ip === undefined) return;
      world.report(ip);
    },
  };
}

function wait(seconds: number): Step {
  return {
    name: `${seconds} s pass`,
    touches: undefined,
    run: (world) => {
      world.now += seconds * 1000;
    },
  };
}

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(anyKey, anyText).map(([key, text]) => create(key, text)) },
  { weight: 3, arbitrary: fc.tuple(anyKey, anyText).map(([key, text]) => edit(key, text)) },
  { weight: 3, arbitrary: anyKey.map(remove) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(anyKey, fc.constantFrom('ClusterIP', 'LoadBalancer'))
      .map(([key, type]) => retype(key, type)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('default', 'small'), anyRanges)
      .map(([name, texts]) => regroup(name, texts)),
  },
  { weight: 1, arbitrary: fc.constantFrom('default', 'small').map(ungroup) },
  { weight: 1, arbitrary: anyKey.map(conflict) },
  { weight: 1, arbitrary: fc.constantFrom(1, 100, 4000).map(wait) },
);

/** Three groups, small enough to run out, and what happens in the cluster. */
export function anyWorld(): fc.Arbitrary<{
  readonly world: World;
  readonly steps: readonly Step[];
}> {
  const options = fc.record({
    avoidEdges: fc.boolean(),
    balancePools: fc.boolean(),
    releaseCooldown: fc.constantFrom('0s', '50s'),
    reserveFor: fc.constantFrom('0s', '200s'),
  });
  return fc
    .tuple(options, fc.array(anyStep, { minLength: 1, maxLength: 25 }))
    .map(([{ balancePools, ...local }, steps]) => {
      const world = new World()
        .group('default', {
          local: {
            ...ranges('192.0.2.0/30', '192.0.2.8/31', '2001:db8::/126'),
            ...local,
            balancePools,
          },
        })
        .group('small', { remote: ranges('198.51.100.0/31') })
        .group('spread', {
          local: { ...ranges('203.0.113.0/31', '203.0.113.8/31'), ...local, multiPool: true },
        });
      world.subnets = ['203.0.113.0/29', '203.0.113.8/29'];
      const text = JSON.stringify({ local, balancePools, steps: steps.map(({ name }) => name) });
      return { world, steps, [fc.toStringMethod]: () => text };
    });
}
