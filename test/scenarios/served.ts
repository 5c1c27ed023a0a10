/** Services with backends in pods of the real world, and what clients get from them. */

import assert from 'node:assert/strict';
import { endpointSlice } from '../../lab/control-plane/objects.ts';
import { eventually } from '../../lab/eventually.ts';
import type { Host } from '../../lab/network/host.ts';
import { ask, type Question } from '../../lab/traffic/ask.ts';
import { type Family, familyOf, type Ip, ipOf } from '../../src/model/ip.ts';
import { backendPort, type RealWorld } from './real-world.ts';
import type { ServiceWish } from './service-wish.ts';

export interface ServedWish extends ServiceWish {
  /** On which nodes it has pods. */
  readonly pods: readonly number[];
  readonly port?: number;
  /** Of its endpoints; those of its addresses unless told otherwise. */
  readonly families?: readonly Family[];
}

/** With TCP and UDP on one port. */
export async function serve(world: RealWorld, name: string, wish: ServedWish): Promise<void> {
  const { pods, port = 80, spec = {}, ips } = wish;
  const families = wish.families ?? ips.map((ip) => familyOf(ipOf(ip)));
  const ports = servicePorts(port);
  for (const family of new Set(families)) {
    const endpoints = pods.map((number) => ({ pod: number }));
    await setEndpoints(world, name, { family, endpoints, port });
  }
  await world.agents.service(name, { ...wish, spec: { ports, ...spec } });
}

function servicePorts(port: number) {
  return (['TCP', 'UDP'] as const).map((protocol) => ({
    name: `${protocol.toLowerCase()}-${port}`,
    protocol,
    port,
    targetPort: backendPort,
  }));
}

export interface PodEndpoint {
  /** The number of its node. */
  readonly pod: number;
  /** Ready unless told otherwise. Absent ones count as: ready; serving as ready is; not terminating. */
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
}

export interface FamilyEndpoints {
  readonly family: Family;
  readonly endpoints: readonly PodEndpoint[];
  readonly port?: number;
}

/** What the endpoint controller would write. */
export async function setEndpoints(
  world: RealWorld,
  service: string,
  { family, endpoints, port = 80 }: FamilyEndpoints,
): Promise<void> {
  const slice = endpointSlice({
    service,
    namespace: 'shop',
    family,
    ports: servicePorts(port),
    endpoints: endpoints.map(({ pod }) => ({ ip: world.lab.host(`pod${pod}`).address(family) })),
  });
  const told = endpoints.map(({ pod, conditions = { ready: true } }) => ({
    addresses: [world.lab.host(`pod${pod}`).address(family)],
    nodeName: `node${pod}`,
    conditions,
  }));
  await world.agents.endpoints({ ...slice, endpoints: told });
}

export function questionsTo(ips: readonly string[], port = 80): readonly Question[] {
  return ips.flatMap((ip) =>
    (['TCP', 'UDP'] as const).map((protocol) => ({ protocol, to: ipOf(ip), port })),
  );
}

/** Resolves to who answered, over TCP and UDP for each address, once all of them did. */
export async function allAnswer(
  host: Host,
  ips: readonly string[],
  port = 80,
): Promise<readonly string[]> {
  return eventually(
    async () => {
      const answers = await ask(host, questionsTo(ips, port));
      for (const answer of answers) assert.match(answer, /^pod\d for /);
      return answers;
    },
    { withinMs: 20_000 },
  );
}

/** Resolves once nobody answers any more. */
export async function nobodyAnswers(host: Host, ips: readonly string[], port = 80): Promise<void> {
  await eventually(
    async () => {
      const answers = await ask(host, questionsTo(ips, port), 500);
      for (const answer of answers) assert.doesNotMatch(answer, /^pod/);
    },
    { withinMs: 20_000 },
  );
}

/** Resolves once no node has any of them. */
export async function isNowhere(world: RealWorld, ips: readonly string[]): Promise<void> {
  for (const ip of ips) {
    await eventually(async () => assert.deepEqual(await world.agents.places(ip), []), {
      withinMs: 20_000,
    });
  }
}

/** Resolves once the addresses are on kube-lb0 of exactly these nodes. */
export async function isOnVirtualLinks(
  world: RealWorld,
  ips: readonly string[],
  numbers: readonly number[],
): Promise<void> {
  for (const ip of ips) {
    const length = ip.includes(':') ? 128 : 32;
    const expected = numbers.map((number) => `node${number} kube-lb0/${length}`);
    await eventually(async () => assert.deepEqual(await world.agents.places(ip), expected), {
      withinMs: 20_000,
    });
  }
}

/** Routes at the router as BGP would make them: equally good ones through every node that has the address. */
export async function advertise(world: RealWorld, ips: readonly string[]): Promise<void> {
  for (const ip of ips) {
    const holders = (await world.agents.places(ip)).filter((place) => place.includes('kube-lb0'));
    const hosts = holders.map((place) => world.lab.host(place.split(' ')[0] ?? ''));
    await routeThrough(world, ipOf(ip), hosts);
  }
}

export async function routeThrough(
  world: RealWorld,
  ip: Ip,
  hosts: readonly Host[],
): Promise<void> {
  const family = familyOf(ip);
  const route = ['ip', family === 'ipv6' ? '-6' : '-4', 'route'];
  const { router } = world.lab;
  await router.run([...route, 'flush', 'exact', ip]);
  if (hosts.length === 0) return;
  const hops = hosts.flatMap((host) => ['nexthop', 'via', host.address(family)]);
  await router.run([...route, 'add', ip, ...hops]);
}
