/** What the router does with connections to a remote address, checked by packets of many of them at once. */

import assert from 'node:assert/strict';
import type { Ip } from '../../src/model/ip.ts';
import { eventually } from '../eventually.ts';
import { startUdpClient } from '../traffic/udp-client.ts';
import type { ServiceReading } from './read-objects.ts';
import type { Session } from './session.ts';

const soon = { withinMs: 60_000, everyMs: 50 };
const flows = 50;
const perSecond = 500;
/** One of five dies; chance spreads fifty connections no worse than that. */
const mostLost = 0.5;

/** The router has a way over every node that is on, and connections are answered. */
export async function spread(session: Session, service: ServiceReading): Promise<string> {
  const target = targetOf(service);
  const nodes = await leadsTo(session, target.ip, living(session));
  await using client = await startUdpClient(session.cluster.client, {
    ...{ to: target.ip, port: target.port, flows, perSecond },
  });
  await eventually(() => assert.ok(client.progress.received >= 4 * flows), soon);
  const { received } = await client.stop();
  return `the router spreads ${target.ip} over ${nodes.join(', ')}; ${flows} connections, ${received} answers`;
}

/** Of many connections some break when a node dies, until the router knows; the others do not notice. */
export async function onlyItsShare(
  session: Session,
  service: ServiceReading,
  act: () => Promise<void>,
): Promise<string> {
  const { ip, port } = targetOf(service);
  const before = await leadsTo(session, ip, living(session));
  await using client = await startUdpClient(session.cluster.client, {
    ...{ to: ip, port, flows, perSecond },
  });
  await eventually(() => assert.ok(client.progress.received > flows), soon);
  const { sent: sentBefore, lost: lostBefore } = client.progress;
  await act();
  const after = await leadsTo(session, ip, living(session));
  const sent = client.progress.sent - sentBefore;
  // Packets count as lost only after a while, and all of them come through once the router knows.
  await eventually(() => assert.ok(client.progress.sent > sentBefore + sent + perSecond), soon);
  const lost = (await client.stop()).lost - lostBefore;
  const gone = before.filter((name) => !after.includes(name));
  assert.ok(lost < mostLost * sent, `${lost} of ${sent} packets to ${ip} were lost`);
  const share = Math.round((100 * lost) / sent);
  const seconds = (sent / perSecond).toFixed(1);
  return `${share} % of packets lost for ${seconds} s, with ${gone.join(', ')}; now over ${after.join(', ')}`;
}

function targetOf({ key, ips, port }: ServiceReading): { readonly ip: Ip; readonly port: number } {
  const [ip] = ips;
  if (ip === undefined || port === undefined) throw new Error(`${key} has no address`);
  return { ip, port };
}

function living({ facts }: Session): readonly string[] {
  return facts.nodes.filter(({ power }) => power === 'on').map(({ name }) => name);
}

async function leadsTo(
  session: Session,
  ip: Ip,
  wanted: readonly string[],
): Promise<readonly string[]> {
  return eventually(() => {
    const nodes = session.facts.router?.ways.find(({ prefix }) => prefix === ip)?.nodes ?? [];
    assert.deepEqual(
      nodes,
      wanted,
      `the router spreads ${ip} over ${nodes.join(', ') || 'no node'}`,
    );
    return nodes;
  }, soon);
}
