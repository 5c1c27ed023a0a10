/** The whole picture: what there is, what happened, what can be done, in as many lines and columns as there are. */

import {
  type ClusterFacts,
  holdersOf,
  type NodeFacts,
  type ServiceFacts,
  type TrafficFacts,
} from './cluster-facts.ts';
import { drawRouter } from './draw-router.ts';
import { stripChart } from './strip-chart.ts';
import { alignColumns, fit, heading, type Line, line, type Style, widthOf } from './styled-text.ts';
import type { Sentence } from './tell-changes.ts';

export interface Picture {
  readonly facts: ClusterFacts;
  /** The latest last; `clock` is a time of day. */
  readonly story: readonly (Sentence & { readonly clock: string })[];
  readonly uptime: string;
  /** What the keys do now. */
  readonly keys: readonly KeyHint[];
  /** A question that is open, instead of the keys. */
  readonly question: string | undefined;
}

export interface KeyHint {
  readonly key: string;
  readonly what: string;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** Exactly `rows` lines, each exactly `columns` wide. */
export function drawScreen(picture: Picture, { columns, rows }: Size): readonly Line[] {
  const foot = drawFoot(picture, columns);
  const body = drawBody(picture.facts, columns);
  const head = [drawTitle(picture, columns)];
  const room = rows - head.length - foot.length;
  // What happened is what people came for: it always keeps a few lines.
  const shown = body.slice(0, Math.max(0, room - storyAtLeast));
  const story = drawStory(picture, Math.max(0, room - shown.length));
  return [...head, ...shown, ...story, ...foot].slice(0, rows).map((each) => fit(each, columns));
}

const storyAtLeast = 6;
/** From here on nodes and Services stand side by side. */
const wide = 124;

function drawTitle({ facts, uptime }: Picture, columns: number): Line {
  const { nodes, api } = facts;
  const left = ' PureLB playground';
  const state = api.isUp ? 'API' : 'API AWAY';
  const writes = api.writes === undefined ? '' : ` · ${api.writes} writes`;
  const right = `${nodes.length} nodes · ${api.kind} ${state}${writes} · ${uptime} `;
  const gap = ' '.repeat(Math.max(1, columns - left.length - right.length));
  return fit(line([left + gap + right, 'bar']), columns);
}

function drawBody(facts: ClusterFacts, columns: number): readonly Line[] {
  const nodes = [heading('NODES'), ...drawNodes(facts)];
  const services = [heading('SERVICES'), ...drawServices(facts)];
  const below = [...drawRouter(facts), ...drawTraffic(facts, columns), ...drawActivity(facts)];
  if (columns < wide) return [...nodes, ...services, ...below];
  return [...sideBySide(nodes, services, columns), ...below];
}

function sideBySide(left: readonly Line[], right: readonly Line[], columns: number) {
  const half = Math.min(columns >> 1, Math.max(...left.map(widthOf)) + 3);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [
    ...fit(left[index] ?? [], half),
    ...(right[index] ?? []),
  ]);
}

function drawNodes(facts: ClusterFacts): readonly Line[] {
  return alignColumns(
    facts.nodes.map((node) => [
      line(' ', stateOf(node)),
      line([node.name, 'bold']),
      line([`${node.lan} ${node.ip}`, 'dim']),
      line(describeAgent(node)),
      line(node.pods === 0 ? '' : countPods(node.pods)),
      line([heldBy(node).join(' '), 'accent']),
    ]),
  );
}

/** Those of its own first: where room is short, those that every node has are cut off. */
function heldBy({ holds }: NodeFacts): readonly string[] {
  const isRouted = ({ link }: NodeFacts['holds'][number]) => link === 'kube-lb0';
  const own = holds.filter((held) => !isRouted(held));
  return [...own, ...holds.filter(isRouted)].map(({ ip }) => ip);
}

function stateOf({ power, cable, isReady, isCordoned }: NodeFacts): readonly [string, Style] {
  if (power === 'off') return ['✗ off', 'bad'];
  if (cable === 'out') return ['✗ cut', 'bad'];
  if (!isReady) return ['! lost', 'warn'];
  return isCordoned ? ['– cordoned', 'warn'] : ['● ready', 'good'];
}

function describeAgent({ power, agent }: NodeFacts): readonly [string, Style] {
  if (power === 'off' || agent === 'running') return ['', 'plain'];
  return [`agent ${agent}`, 'warn'];
}

function drawServices(facts: ClusterFacts): readonly Line[] {
  const shown = facts.services.filter(({ type }) => type === 'LoadBalancer');
  if (shown.length === 0) return [line(['   none yet: press n', 'dim'])];
  return alignColumns(
    shown.flatMap((service) => {
      const [first, ...more] = service.ips;
      return [
        [
          line(' ', judge(service)),
          line([service.key, 'bold']),
          ...addressCells(first, service, facts),
        ],
        ...more.map((ip) => [line(), line(), ...addressCells(ip, service, facts)]),
      ];
    }),
  );
}

function judge({ conditions, ips }: ServiceFacts): readonly [string, Style] {
  if (ips.length === 0 || conditions.some(({ isTrue }) => !isTrue)) return ['!', 'warn'];
  return ['●', 'good'];
}

function addressCells(
  ip: string | undefined,
  { pool, conditions, endpoints }: ServiceFacts,
  facts: ClusterFacts,
): readonly Line[] {
  const wrong = conditions.find(({ isTrue }) => !isTrue);
  if (ip === undefined)
    return [line(['no address', 'warn']), line(), line([wrong?.reason ?? '', 'warn'])];
  const holders = holdersOf(ip as ServiceFacts['ips'][number], facts);
  const where = holders.length > 1 ? `${holders.length} nodes` : (holders[0] ?? 'nobody');
  const answers = endpoints === 0 ? line(['no pods', 'warn']) : line(countPods(endpoints));
  return [line([ip, 'accent']), line(pool?.kind ?? ''), line(`on ${where}`), answers];
}

function countPods(count: number): string {
  return count === 1 ? '1 pod' : `${count} pods`;
}

function drawTraffic({ traffic }: ClusterFacts, columns: number): readonly Line[] {
  if (traffic.length === 0) return [];
  const labels = alignColumns(
    traffic.map((each) => [line(' ', [each.ip, 'accent']), ...figures(each)]),
  );
  const labelled = Math.max(...labels.map(widthOf));
  const room = Math.max(8, columns - labelled - 3);
  const rows = traffic.map(({ ticks }, index) => [
    ...fit(labels[index] ?? [], labelled + 2),
    ...stripChart(ticks, room),
  ]);
  return [heading('PACKETS from the client, answered over the last seconds'), ...rows];
}

function figures({ perSecond, lost, longestOutageMs, answeredBy }: TrafficFacts): readonly Line[] {
  const loss = lost === 0 ? line(['lost 0', 'good']) : line([`lost ${lost}`, 'bad']);
  const outage = longestOutageMs === 0 ? '' : `gap ${longestOutageMs} ms`;
  return [line(`${perSecond}/s`), loss, line(outage), line([answeredBy ?? '', 'dim'])];
}

function drawActivity({ activity }: ClusterFacts): readonly Line[] {
  if (activity.length === 0) return [];
  const rows = activity.map(({ where, rates }) => [
    line(` ${where}`),
    ...Object.entries(rates).map(([what, rate]) =>
      line([`${describeRate(rate)} ${what}`, rate === 0 ? 'dim' : 'plain']),
    ),
  ]);
  return [heading('ACTIVITY of PureLB, and on the wire, per second'), ...alignColumns(rows)];
}

function describeRate(rate: number): string {
  return rate === 0 || rate >= 10 ? String(Math.round(rate)) : rate.toFixed(1);
}

function drawStory({ story }: Picture, rows: number): readonly Line[] {
  if (rows === 0) return [];
  const told = story
    .slice(-(rows - 1))
    .map(({ clock, text, style }) => line([` ${clock} `, 'dim'], [text, style]));
  const blank = Array.from({ length: Math.max(0, rows - 1 - told.length) }, () => line());
  return [heading('WHAT HAPPENED'), ...(rows === 1 ? [] : told), ...blank];
}

function drawFoot({ keys, question }: Picture, columns: number): readonly Line[] {
  if (question !== undefined) return [fit(line([` ${question}`, 'bar']), columns)];
  const lines: Line[] = [];
  let current: Line = [];
  for (const { key, what } of keys) {
    const hint = line([` ${key} `, 'bar'], ` ${what} `);
    if (widthOf(current) + widthOf(hint) > columns && current.length > 0) {
      lines.push(current);
      current = [];
    }
    current = [...current, ...hint];
  }
  return [...lines, current];
}
