/** One run of a scenario, seen by a client that sends a thousand packets a second and holds connections. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Family } from '../../src/model/ip.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import { startTcpClient, type TcpClient } from '../traffic/tcp-client.ts';
import type { TcpReport } from '../traffic/tcp-report.ts';
import { startUdpClient, type UdpClient } from '../traffic/udp-client.ts';
import type { FailoverWorld } from './failover-world.ts';
import { judgeHolders, judgeSpread } from './holder-log.ts';
import { port } from './measured-service.ts';
import type { Scenario } from './scenario.ts';

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
  await underWay(udp, tcp);
  const end = world.follow();
  const actedAt = monotonicMs();
  await act();
  await sleep(scenario.settlesMs);
  const logs = end();
  const endedAt = monotonicMs();
  const [packets, talks] = await Promise.all([udp.stop(), tcp.stop()]);
  await heal?.();
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
  };
}

/** Every connection stands, and nothing was lost for a while. */
async function underWay(udp: UdpClient, tcp: TcpClient): Promise<void> {
  let lost = -1;
  let calmSince = monotonicMs();
  await eventually(
    () => {
      if (udp.progress.lost !== lost) calmSince = monotonicMs();
      ({ lost } = udp.progress);
      const { received } = udp.progress;
      const { open } = tcp.progress;
      const calmMs = Math.round(monotonicMs() - calmSince);
      if (received < 200 || open < connections || calmMs < 400) {
        throw new Error(`${received} answers, ${open} connections, calm for ${calmMs} ms`);
      }
    },
    { withinMs: 30_000 },
  );
}

function countBroken({ ends }: TcpReport, since: number): number {
  const broken = ends.filter(({ at }) => at >= since);
  return new Set(broken.map(({ connection }) => connection)).size;
}
