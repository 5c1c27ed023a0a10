/** What happened between two moments, a sentence each, with its reason where one is known. */

import type { Ip } from '../../src/model/ip.ts';
import type { RouterView, Way } from '../router/router-watch.ts';
import {
  type ClusterFacts,
  type ConditionFact,
  holdersOf,
  type NodeFacts,
  type ServiceFacts,
} from './cluster-facts.ts';
import type { Style } from './styled-text.ts';

export interface Sentence {
  readonly text: string;
  readonly style: Style;
}

export function tellChanges(before: ClusterFacts, after: ClusterFacts): readonly Sentence[] {
  return [
    ...tellApi(before, after),
    ...after.nodes.flatMap((node) => tellNode(named(before.nodes, node.name), node)),
    ...tellServices(before, after),
    ...tellHolders(before, after),
    ...tellRouter(before.router, after.router),
    ...tellTraffic(before, after),
  ];
}

function tellApi({ api: before }: ClusterFacts, { api: after }: ClusterFacts): readonly Sentence[] {
  if (before.isUp === after.isUp) return [];
  return after.isUp
    ? [good('The API server answers again.')]
    : [bad('The API server is away: agents keep what they hold.')];
}

function tellNode(before: NodeFacts | undefined, node: NodeFacts): readonly Sentence[] {
  if (before === undefined) return [plain(`${node.name} joins.`)];
  const told: Sentence[] = [];
  const tell = (isChanged: boolean, sentence: Sentence) => {
    if (isChanged) told.push(sentence);
  };
  const { name, power, cable, agent } = node;
  const isOff = power === 'off';
  tell(before.power !== power, isOff ? bad(`${name} is dead.`) : good(`${name} boots.`));
  const out = bad(`${name} is cut off: its cable is out.`);
  tell(before.cable !== cable, cable === 'out' ? out : good(`${name} is plugged in again.`));
  tell(before.agent !== agent && !isOff, tellAgent(name, agent));
  const notReady = warn(`Kubernetes noticed: ${name} is not ready.`);
  tell(before.isReady !== node.isReady, node.isReady ? good(`${name} is ready.`) : notReady);
  const cordoned = warn(`${name} is cordoned: no new Pods.`);
  const isCordonChanged = before.isCordoned !== node.isCordoned;
  tell(isCordonChanged, node.isCordoned ? cordoned : good(`${name} takes Pods again.`));
  return told;
}

function tellAgent(name: string, agent: NodeFacts['agent']): Sentence {
  if (agent === 'running') return good(`The agent on ${name} runs.`);
  const state = agent === 'frozen' ? 'stands still' : 'is gone';
  return warn(`The agent on ${name} ${state}; its kernel goes on answering.`);
}

function tellServices(before: ClusterFacts, after: ClusterFacts): readonly Sentence[] {
  const told = after.services.flatMap((service) => {
    const former = before.services.find(({ key }) => key === service.key);
    return [...tellAddresses(former, service), ...tellConditions(former, service)];
  });
  const gone = before.services.filter(({ key }) => !after.services.some((one) => one.key === key));
  return [...told, ...gone.map(({ key }) => plain(`${key} is deleted.`))];
}

function tellAddresses(
  before: ServiceFacts | undefined,
  { key, ips, pool, type }: ServiceFacts,
): readonly Sentence[] {
  const isNew = before === undefined && type === 'LoadBalancer';
  const created = isNew ? [plain(`${key} is created.`)] : [];
  if (same(before?.ips ?? [], ips)) return created;
  if (ips.length === 0) return [...created, plain(`${key} gives its address back.`)];
  const from = pool === undefined ? '' : ` from pool ${pool.name} (${pool.kind})`;
  return [...created, good(`${key} gets ${ips.join(', ')}${from}.`)];
}

/** Only what is wrong: that all is well shows elsewhere. */
function tellConditions(
  before: ServiceFacts | undefined,
  { key, conditions }: ServiceFacts,
): readonly Sentence[] {
  const wasSaid = ({ type, message }: ConditionFact) =>
    before?.conditions.some((one) => one.type === type && one.message === message) === true;
  return conditions
    .filter((condition) => !condition.isTrue && !wasSaid(condition))
    .map(({ type, reason, message }) => warn(`${key}: not ${type} (${reason}): ${message}`));
}

function tellHolders(before: ClusterFacts, after: ClusterFacts): readonly Sentence[] {
  const ips = new Set(after.services.flatMap((service) => service.ips));
  return [...ips].flatMap((ip) => {
    const [then, now] = [living(ip, before), living(ip, after)];
    return same(then, now) ? [] : [tellMove(ip, then, now)];
  });
}

/** A dead node's kernel answers nobody. */
function living(ip: Ip, facts: ClusterFacts): readonly string[] {
  const dead = facts.nodes.filter(({ power }) => power === 'off').map(({ name }) => name);
  return holdersOf(ip, facts).filter((name) => !dead.includes(name));
}

function tellMove(ip: Ip, then: readonly string[], now: readonly string[]): Sentence {
  if (now.length === 0) return bad(`${ip} is on no node.`);
  const [holder] = now;
  if (now.length > 1) return plain(`${ip} is on ${list(now)}.`);
  return good(
    then.length === 1 ? `${ip} moves from ${then[0]} to ${holder}.` : `${ip} is on ${holder}.`,
  );
}

function tellRouter(
  before: RouterView | undefined,
  after: RouterView | undefined,
): readonly Sentence[] {
  if (before === undefined || after === undefined) return [];
  const come = without(after.sessions, before.sessions);
  const gone = without(before.sessions, after.sessions);
  const prefixes = new Set([...before.ways, ...after.ways].map(({ prefix }) => prefix));
  return [
    ...(come.length === 0 ? [] : [good(`The router speaks BGP with ${list(come)}.`)]),
    ...(gone.length === 0 ? [] : [bad(`The router has lost its BGP session with ${list(gone)}.`)]),
    ...[...prefixes].flatMap((prefix) =>
      tellWay(prefix, nodesOf(before.ways, prefix), nodesOf(after.ways, prefix)),
    ),
  ];
}

function tellWay(
  prefix: string,
  then: readonly string[],
  now: readonly string[],
): readonly Sentence[] {
  if (same(then, now)) return [];
  if (now.length === 0) return [plain(`The router has no way to ${prefix} any more.`)];
  const lost = without(then, now);
  if (lost.length === 0) return [good(`The router spreads ${prefix} over ${list(now)}.`)];
  return [warn(`The router spreads ${prefix} over ${list(now)}, no longer over ${list(lost)}.`)];
}

function nodesOf(ways: readonly Way[], prefix: string): readonly string[] {
  return ways.find((way) => way.prefix === prefix)?.nodes ?? [];
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

/** Once it is over: how many, and how long the worst of it took. */
function tellTraffic(before: ClusterFacts, after: ClusterFacts): readonly Sentence[] {
  return after.traffic.flatMap(({ ip, settledLost, longestOutageMs }) => {
    const then = before.traffic.find((one) => one.ip === ip);
    const lost = settledLost - (then?.settledLost ?? settledLost);
    if (lost <= 0) return [];
    const packets = lost === 1 ? '1 packet' : `${lost} packets`;
    return [bad(`The client lost ${packets} to ${ip}; at most ${longestOutageMs} ms in a row.`)];
  });
}

function list(names: readonly string[]): string {
  return names.length > 3 ? `${names.length} nodes` : names.join(', ');
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.join() === right.join();
}

function named<T extends { readonly name: string }>(all: readonly T[], name: string) {
  return all.find((one) => one.name === name);
}

const plain = (text: string): Sentence => ({ text, style: 'plain' });
const good = (text: string): Sentence => ({ text, style: 'good' });
const warn = (text: string): Sentence => ({ text, style: 'warn' });
const bad = (text: string): Sentence => ({ text, style: 'bad' });
