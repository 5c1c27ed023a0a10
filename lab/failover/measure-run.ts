/** One run of a scenario, seen by a client that sends a thousand packets a second and holds connections. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Family } from '../../src/model/ip.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import { startTcpClient } from '../traffic/tcp-client.ts';
import { startUdpClient } from '../traffic/udp-client.ts';
import { type FailoverWorld, port } from './failover-world.ts';
import { judgeHolders, judgeSpread } from './holder-log.ts';
import type { Scenario } from './scenarios.ts';

export interface RunFigures {
  readonly family: Family;
  /** The longest time in a row without an answer, without what the client itself stood still. */
  readonly outageMs: number;
  readonly lost: number;
  readonly sent: number;
  /** Connections, of ten. */
  readonly broken: number;
  readonly twoHoldersMs: number;
  readonly moves: number;
  /** From the first address that another node took to the last one. */
  readonly spreadMs: number;
}

const connections = 10;

export async function measureRun(
  world: FailoverWorld,
  scenario: Scenario,
  family: Family,
): Promise<RunFigures> {
  const ip = world.ips[family];
  const { client } = world.cluster;
  await world.settled();
  const { act, heal } = await scenario.stage({ world, ip });
  await using udp = await startUdpClient(client, { to: ip, port });
  await using tcp = await startTcpClient(client, { to: ip, port, connections, everyMs: 50 });
  await eventually(() => isUnderWay(udp.progress.received, tcp.progress.open), {
    withinMs: 20_000,
  });
  const end = world.follow();
  await act();
  await sleep(scenario.settlesMs);
  const logs = end();
  const endedAt = monotonicMs();
  const [packets, talks] = await Promise.all([udp.stop(), tcp.stop()]);
  await heal?.();
  const outages = packets.outages.map(({ ms, stalledMs }) => ms - stalledMs);
  return {
    family,
    outageMs: Math.round(Math.max(0, ...outages)),
    lost: packets.lost,
    sent: packets.sent,
    broken: new Set(talks.ends.map(({ connection }) => connection)).size,
    spreadMs: judgeSpread(logs),
    ...judgeHolders(logs.get(ip) ?? [], endedAt),
  };
}

function isUnderWay(received: number, open: number): void {
  if (received < 200 || open < connections) throw new Error(`${received} answers, ${open} open`);
}
