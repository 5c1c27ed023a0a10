/** A cluster in which every node decides by itself: kernels, a wire between them, Leases and Services, in memory. */

import { FakeKernel } from '../../linux/fake-kernel.ts';
import { addressKey } from '../../model/address.ts';
import { type Ip, ipOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { Member } from '../../model/member.ts';
import { clusterNode, member } from './cluster.fixture.ts';
import { prepareElectorate } from './electorate.ts';
import { findFailing, nextTryAt, noteSetbacks, type Setbacks } from './give-way.ts';
import { collectIdentities } from './identities.ts';
import { judgeLinks, type LinkObservations } from './judge-links.ts';
import type { Liveness } from './judge-members.ts';
import { findLocalSubnets } from './local-subnets.ts';
import type { Ask } from './look-before-add.ts';
import { placeAddresses } from './place-addresses.ts';
import { type PlannedChange, planAddresses } from './plan-addresses.ts';
import type { ConditionPatch } from './plan-conditions.ts';
import { type NoteMemory, type NotePatch, planNotes } from './plan-notes.ts';
import { localGroup, service } from './pool.fixture.ts';
import { configOf, snapshotOf } from './snapshot.fixture.ts';
import { surveyLinks } from './survey-links.ts';
import type { Look } from './who-holds.ts';
import { linkOfNode, macOfNode } from './wire.fixture.ts';

const config = configOf();

/** Longer than links settle and looks are fresh, and shorter than addresses live without an agent. */
const patienceMs = 12_000;
/** Longer than a node waits before it tries again what it could not do. */
const longPatienceMs = 62_000;

export class World {
  now = 1_000_000;
  readonly nodes: readonly WorldNode[];
  readonly members = new Map<string, Member>();
  readonly #services = new Map<string, Record<string, string>>();
  readonly #conditions = new Map<string, ConditionPatch>();
  /** Everything that any node changed, in words. */
  readonly log: string[] = [];

  constructor(names: readonly string[]) {
    this.nodes = names.map((name, index) => new WorldNode(this, name, index + 1));
  }

  services(): readonly LoadBalancer[] {
    return [...this.#services].map(([ip, annotations]) =>
      service(`s-${ip}`, [ip], { annotations, conditions: this.#conditionsOf(ip) }),
    );
  }

  #conditionsOf(ip: string) {
    const condition = this.#conditions.get(ip);
    return condition === undefined || '$patch' in condition ? [] : [condition];
  }

  toggleService(ip: Ip): void {
    this.#conditions.delete(ip);
    if (!this.#services.delete(ip)) this.#services.set(ip, {});
  }

  hasService(ip: Ip): boolean {
    return this.#services.has(ip);
  }

  write(name: string, { metadata, status }: NotePatch['body']): void {
    const ip = name.slice(2);
    const known = this.#services.get(ip);
    if (known === undefined) return;
    for (const [key, value] of Object.entries(metadata.annotations)) {
      if (value === null) delete known[key];
      else known[key] = value;
    }
    for (const condition of status?.conditions ?? []) {
      if (condition.type === 'Announced') this.#conditions.set(ip, condition);
    }
  }

  /** `True Announced: 192.0.2.100 by a on eth0`. */
  conditionOf(ip: Ip): string {
    const [condition] = this.#conditionsOf(ip);
    return condition === undefined
      ? ''
      : `${condition.status} ${condition.reason}: ${condition.message}`;
  }

  /** Lets all agents run until nothing has changed for longer than any of them waits for anything. */
  async settle(): Promise<void> {
    let changedAt = this.now;
    for (let rounds = 0; rounds < 500; rounds++) {
      const before = this.log.length;
      const soon = await this.#runAgents();
      const hasChanged = this.log.length > before;
      if (hasChanged) changedAt = this.now;
      const isQuiet = soon === Infinity || this.now > changedAt + this.#patienceMs();
      if (!hasChanged && isQuiet) return;
      this.now = hasChanged ? this.now + 5 : soon;
    }
    throw new Error(`does not settle: ${this.log.slice(-20).join('; ')}`);
  }

  #patienceMs(): number {
    return this.nodes.some(({ setbacks }) => setbacks.size > 0) ? longPatienceMs : patienceMs;
  }

  /** Resolves to when the first of them wants to run again. */
  async #runAgents(): Promise<number> {
    const wakes: number[] = [];
    for (const node of this.nodes) if (node.hasAgent) wakes.push(await node.run());
    return Math.min(...wakes);
  }

  async holders(ip: Ip): Promise<readonly string[]> {
    const found: string[] = [];
    for (const node of this.nodes) if (await node.answersFor(ip)) found.push(node.name);
    return found;
  }
}

export class WorldNode {
  readonly name: string;
  readonly #world: World;
  readonly #index: number;
  kernel: FakeKernel;
  hasAgent = true;
  hasPower = true;
  hasCarrier = true;
  isExcluded = false;
  /** Its kernel takes no new addresses. */
  isBroken = false;
  setbacks: Setbacks = new Map();
  #notes: NoteMemory | undefined;
  #links: LinkObservations | undefined;
  #looks = new Map<Ip, Look>();

  constructor(world: World, name: string, index: number) {
    this.name = name;
    this.#world = world;
    this.#index = index;
    this.kernel = this.#boot();
  }

  powerOff(): void {
    this.hasPower = false;
    this.hasAgent = false;
  }

  /** With an empty kernel after a power cut, else with what is in it. */
  start(): void {
    if (!this.hasPower) this.kernel = this.#boot();
    this.plug(this.hasCarrier);
    this.hasPower = true;
    this.hasAgent = true;
    this.#links = undefined;
    this.#looks = new Map();
    this.setbacks = new Map();
    this.#notes = undefined;
  }

  stopAgent(): void {
    this.hasAgent = false;
  }

  exclude(isExcluded: boolean): void {
    this.isExcluded = isExcluded;
  }

  plug(hasCarrier: boolean): void {
    this.hasCarrier = hasCarrier;
    this.kernel.machine.setCarrier('eth0', hasCarrier);
  }

  get isEligible(): boolean {
    return this.hasAgent && this.hasCarrier && !this.isExcluded;
  }

  break(isBroken: boolean): void {
    this.isBroken = isBroken;
  }

  async answersFor(ip: Ip): Promise<boolean> {
    if (!this.hasPower || !this.hasCarrier) return false;
    const addresses = await this.kernel.addresses();
    return addresses.some((one) => one.ip === ip && one.link === 'eth0');
  }

  /** One pass of the agent; resolves to when it wants to run again. */
  async run(): Promise<number> {
    const { snapshot, wakeAt } = await this.#observe();
    const placing = placeAddresses(snapshot);
    const asks = placing.decisions.flatMap((decision) => decision.asks ?? []);
    for (const ask of asks) await this.#ask(ask);
    const { changes } = planAddresses({ ...placing, held: snapshot.held, now: this.#world.now });
    const failures = await this.#apply(changes);
    const addresses = await this.kernel.addresses();
    const held = new Set(addresses.map(addressKey));
    const { now } = this.#world;
    const { decisions } = placing;
    const facts = { node: this.name, decisions, held: addresses, failures, now };
    this.setbacks = noteSetbacks(facts, this.setbacks);
    this.#publish();
    const { conflicts } = snapshot.wire;
    const noted = { ...snapshot, decisions, held, conflicts, failures, setbacks: this.setbacks };
    const notes = planNotes(noted, this.#notes);
    this.#notes = notes.memory;
    for (const { name, body } of notes.patches) {
      this.#world.write(name, body);
      this.#say(`annotates ${name}`);
    }
    const tryAt = nextTryAt(this.setbacks, now);
    const soon = Math.min(placing.wakeAt, wakeAt, tryAt, notes.wakeAt);
    return asks.length > 0 ? now + 5 : soon;
  }

  /** By address, what the kernel refused. */
  async #apply(changes: readonly PlannedChange[]): Promise<ReadonlyMap<string, string>> {
    const isRefused = ({ change }: PlannedChange) => this.isBroken && change.kind === 'add';
    const possible = changes.filter((change) => !isRefused(change));
    const failures = await this.kernel.apply(possible.map(({ change }) => change));
    if (failures.length > 0) throw new Error(`kernel of ${this.name}: ${failures[0]?.words}`);
    for (const { change, reason } of possible) {
      if (reason !== 'halfLife') this.#say(`${change.kind} ${change.address.ip}`);
    }
    const refused = changes.filter(isRefused).map(({ change }) => addressKey(change.address));
    return new Map(refused.map((key) => [key, 'broken']));
  }

  #publish(): void {
    const lease = this.#world.members.get(this.name);
    const failing = [...findFailing(this.setbacks, this.#world.now)];
    if (lease !== undefined) this.#world.members.set(this.name, { ...lease, failing });
  }

  async #observe() {
    const world = this.#world;
    const view = {
      links: await this.kernel.links(),
      addresses: await this.kernel.addresses(),
      routes: await this.kernel.routes(),
    };
    const judged = judgeLinks(view.links, this.#links, config.failover, world.now);
    this.#links = judged.observations;
    const wish = { choice: config.links, dummyLink: config.dummyLink, health: judged.health };
    const survey = surveyLinks(view, wish);
    const subnets = findLocalSubnets(survey) ?? { ready: [], unready: [] };
    const myFailing = findFailing(this.setbacks, world.now);
    const lease = member(this.name, {
      subnets: subnets.ready,
      links: [linkOfNode(this.name)],
      failing: [...myFailing],
    });
    world.members.set(this.name, lease);
    const members = [...world.members.values()];
    const electorate = prepareElectorate({
      me: this.name,
      members,
      liveness: new Map(
        world.nodes.map((node): [string, Liveness] => [
          node.name,
          node.hasAgent ? 'alive' : 'expired',
        ]),
      ),
      nodes: world.nodes.map((node) => clusterNode(node.name, { isExcluded: node.isExcluded })),
      mySubnets: subnets.ready,
      myUnreadySubnets: subnets.unready,
      myFailing,
    });
    const identities = collectIdentities(this.name, lease.links, members);
    const usual = snapshotOf({ services: world.services(), pools: [localGroup] });
    const wire = { ...usual.wire, identities, looks: this.#looks };
    const own = { node: this.name, electorate, survey, held: view.addresses, wire, now: world.now };
    return { snapshot: { ...usual, ...own }, wakeAt: judged.wakeAt };
  }

  /** The wire answers at once, from every other node that has power, a cable, and the address. */
  async #ask({ ip, link, isFirst }: Ask): Promise<void> {
    if (!this.hasCarrier) return;
    const before = isFirst ? undefined : this.#looks.get(ip);
    const holders = await this.#world.holders(ip);
    const answers = holders
      .filter((name) => name !== this.name)
      .map((name) => ({ mac: macOfNode(name), at: this.#world.now }));
    this.#looks.set(ip, {
      link,
      sentAt: [...(before?.sentAt ?? []), this.#world.now],
      answers: [...(before?.answers ?? []), ...answers],
      isDeaf: false,
    });
  }

  #say(what: string): void {
    this.#world.log.push(`${this.name} ${what}`);
  }

  #boot(): FakeKernel {
    const kernel = new FakeKernel({ now: () => this.#world.now });
    const { index } = kernel.machine.addLink({ name: 'eth0', mac: macOfNode(this.name) });
    kernel.machine.addLink({ name: 'kube-lb0', kind: 'dummy' });
    kernel.machine.addForeign('eth0', `192.0.2.${this.#index}/24`);
    kernel.machine.addForeign('eth0', `2001:db8::${this.#index}/64`);
    this.#world.now += 2000;
    for (const [family, gateway] of [
      ['ipv4', '192.0.2.254'],
      ['ipv6', 'fe80::99'],
    ] as const) {
      kernel.machine.addRoute({
        family,
        nextHops: [{ linkIndex: index, gateway: ipOf(gateway), weight: 1 }],
        metric: 0,
        table: 254,
        protocol: 3,
        type: 'unicast',
        scope: 0,
      });
    }
    return kernel;
  }
}
