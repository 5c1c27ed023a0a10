/** One run of a scenario, seen by clients of both families at once. */

import { setTimeout as sleep } from 'node:timers/promises';
import { type Family, familyOf, type Ip } from '../../src/model/ip.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import type { TcpReport } from '../traffic/tcp-report.ts';
import type { FailoverWorld } from './failover-world.ts';
import { FamilyClients } from './family-clients.ts';
import { type HolderChange, judgeHolders, judgeSpread } from './holder-log.ts';
import type { Scenario } from './scenario.ts';

export interface RunFigures {
  readonly family: Family;
  /** The longest time in a row without an answer, without what the client itself stood still. */
  readonly outageMs: number;
  readonly lost: number;
  readonly sent: number;
  /** Connections, of ten. */
  readonly broken: number;
  /** Of all addresses of this family there are, also of those that nobody talks to. */
  readonly twoHoldersMs: number;
  readonly moves: number;
  /** From the first address that another node took to the last one. */
  readonly spreadMs: number;
}

/** Beside which clients start; then they are watched for a while more. */
const calmMs = 1000;
/** After a move this is its end: nothing moved or was lost, and all connections talked, for so long. */
const quietMs = 1500;

/** Starts when all is calm, and ends when all is healed; what it leaves behind the next one waits for. */
export async function measureRun(
  world: FailoverWorld,
  scenario: Scenario,
): Promise<readonly RunFigures[]> {
  await world.gather();
  const calm = world.settled(calmMs);
  // Awaited below, and not before the clients are there to be ended.
  calm.catch(() => {});
  await using ipv4 = await FamilyClients.start(world.cluster.client, world.ips.ipv4);
  await using ipv6 = await FamilyClients.start(world.cluster.client, world.ips.ipv6);
  await calm;
  const { act, heal } = await scenario.stage({ world, ip: world.ips.ipv4 });
  await underWay([ipv4, ipv6]);
  const follow = world.follow();
  const actedAt = monotonicMs();
  await act();
  await watch(follow.count, [ipv4, ipv6], scenario.settlesMs);
  const logs = follow.end();
  const span = { actedAt, endedAt: monotonicMs(), logs };
  const [four, six] = await Promise.all([ipv4.stop(), ipv6.stop()]);
  await heal?.();
  return [
    figuresOf('ipv4', world.ips.ipv4, span, four),
    figuresOf('ipv6', world.ips.ipv6, span, six),
  ];
}

interface WatchedSpan {
  readonly actedAt: number;
  readonly endedAt: number;
  readonly logs: ReadonlyMap<Ip, readonly HolderChange[]>;
}

function figuresOf(
  family: Family,
  ip: Ip,
  { actedAt, endedAt, logs }: WatchedSpan,
  { packets, talks }: Awaited<ReturnType<FamilyClients['stop']>>,
): RunFigures {
  // A node that has just booted may take its time until it forwards everything: that was before.
  const outages = packets.outages.filter(({ to }) => to > actedAt);
  return {
    family,
    outageMs: Math.round(Math.max(0, ...outages.map(({ ms, stalledMs }) => ms - stalledMs))),
    lost: outages.reduce((sum, { lost }) => sum + lost, 0),
    sent: packets.sent,
    broken: countBroken(talks, actedAt),
    spreadMs: judgeSpread(logs),
    ...judgeHolders(logs.get(ip) ?? [], endedAt),
    twoHoldersMs: Math.max(
      ...[...logs].map(([each, log]) =>
        familyOf(each) === family ? judgeHolders(log, endedAt).twoHoldersMs : 0,
      ),
    ),
  };
}

/** Every connection stands, and nothing was lost for a while. */
async function underWay(clients: readonly FamilyClients[]): Promise<void> {
  const steady = steadiness(() => clients.map(({ lost }) => lost).join());
  await eventually(
    () => {
      const calmMs = Math.round(steady());
      const obstacle = clients.find((each) => each.obstacle !== undefined)?.obstacle;
      if (obstacle !== undefined || calmMs < 400) {
        throw new Error(`${obstacle ?? 'all answered'}, calm for ${calmMs} ms`);
      }
    },
    { withinMs: 30_000 },
  );
}

/** For `longestMs`; shorter if something did move, and all is well again. */
async function watch(
  countMoves: () => number,
  clients: readonly FamilyClients[],
  longestMs: number,
): Promise<void> {
  const state = () =>
    [countMoves(), ...clients.flatMap((each) => [each.lost, isWell(each)])].join();
  const steady = steadiness(state);
  const endsAt = monotonicMs() + longestMs;
  while (monotonicMs() < endsAt) {
    await sleep(20);
    if (steady() >= quietMs && countMoves() > 0 && clients.every(isWell)) return;
  }
}

function isWell({ obstacle }: FamilyClients): boolean {
  return obstacle === undefined;
}

/** How long something has been the same, in ms. */
function steadiness(look: () => string): () => number {
  let last = look();
  let since = monotonicMs();
  return () => {
    const now = look();
    if (now !== last) since = monotonicMs();
    last = now;
    return monotonicMs() - since;
  };
}

function countBroken({ ends }: TcpReport, since: number): number {
  const broken = ends.filter(({ at }) => at >= since);
  return new Set(broken.map(({ connection }) => connection)).size;
}
