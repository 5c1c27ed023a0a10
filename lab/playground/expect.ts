/** What a step of a scenario promises, checked on the cluster and by the client's packets. */

import assert from 'node:assert/strict';
import type { Ip } from '../../src/model/ip.ts';
import { eventually } from '../eventually.ts';
import { startUdpClient, type UdpClientReport } from '../traffic/udp-client.ts';
import { holdersOf } from './cluster-facts.ts';
import { onlyItsShare, spread } from './expect-router.ts';
import type { ServiceReading } from './read-objects.ts';
import type { Expectation } from './read-scenario.ts';
import type { Session } from './session.ts';

const soon = { withinMs: 60_000, everyMs: 50 };

/** Does `act` and throws unless what is expected holds; returns what was seen, in a few words. */
export async function expectThat(
  session: Session,
  expected: Expectation,
  act: () => Promise<void>,
): Promise<string> {
  if (expected === 'no packet lost') return withoutLoss(session, act);
  if (expected === 'only its share') return onlyItsShare(session, await newest(session), act);
  if (expected === 'taken over') return takenOver(session, act);
  await act();
  return afterwards[expected](session);
}

const afterwards: Readonly<
  Record<
    Exclude<Expectation, 'no packet lost' | 'taken over' | 'only its share'>,
    (session: Session) => Promise<string>
  >
> = {
  ready: async (session) => {
    await eventually(() => {
      const waiting = session.facts.nodes.filter(({ isReady }) => !isReady);
      assert.deepEqual(
        waiting.map(({ name }) => name),
        [],
      );
    }, soon);
    return `${session.facts.nodes.length} nodes are ready`;
  },
  answered: async (session) => {
    const { ips, port } = await newest(session);
    const seen = await Promise.all(ips.map((ip) => firstAnswer(session, ip, port)));
    return seen.join(', ');
  },
  'on every node': async (session) => {
    const { ips, port } = await newest(session);
    const { nodes } = session.facts;
    await eventually(() => {
      for (const ip of ips) assert.equal(holdersOf(ip, session.facts).length, nodes.length);
    }, soon);
    const seen = await Promise.all(ips.map((ip) => firstAnswer(session, ip, port)));
    return `${seen.join(', ')}; on ${nodes.length} nodes`;
  },
  spread: async (session) => spread(session, await newest(session)),
  shared: async (session) => {
    const found = await eventually(() => {
      const sharing = session.observer.services.filter(({ key }) => key.includes('/shared'));
      const ips = new Set(sharing.flatMap((service) => service.ips));
      assert.ok(sharing.length > 1 && sharing.every((each) => each.ips.length > 0), 'no address');
      assert.equal(ips.size, 1);
      return { sharing, ip: [...ips].join() };
    }, soon);
    return `${found.sharing.length} Services at ${found.ip}`;
  },
  silent: async (session) => {
    await eventually(() => {
      const held = session.cluster.addresses.map(({ ip, node }) => `${ip} on ${node}`);
      assert.deepEqual(held, []);
    }, soon);
    return 'no node has an address any more';
  },
};

async function withoutLoss(session: Session, act: () => Promise<void>): Promise<string> {
  const { ip, port } = await localTarget(session);
  const holder = await onlyHolder(session, ip);
  const report = await measure(session, ip, port, act);
  assert.ok(report.lost === 0, describeLoss(ip, report));
  assert.equal(await onlyHolder(session, ip), holder);
  return `${report.sent} packets, none lost, ${ip} still on ${holder}`;
}

function describeLoss(ip: Ip, { lost, sent, outages, responders, startedAt }: UdpClientReport) {
  const gaps = outages.map(
    ({ from, ms }) => `${Math.round(ms)} ms at ${Math.round(from - startedAt)}`,
  );
  const who = responders.map(({ id, answers }) => `${id} ${answers}`);
  return `${lost} of ${sent} packets to ${ip} were lost (${gaps.join(', ')}; answered by ${who.join(', ')})`;
}

async function takenOver(session: Session, act: () => Promise<void>): Promise<string> {
  const { ip, port } = await localTarget(session);
  const holder = await onlyHolder(session, ip);
  const report = await measure(session, ip, port, async () => {
    await act();
    await eventually(
      () => assert.notEqual(holdersOf(ip, session.facts)[0] ?? holder, holder),
      soon,
    );
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  });
  assert.notEqual(report.outages.at(-1)?.isOpen, true, `nobody answers for ${ip}`);
  const gap = Math.round(report.longestOutageMs);
  return `${ip} went from ${holder} to ${await onlyHolder(session, ip)}; ${gap} ms without an answer`;
}

/** The Service that was made last. */
async function newest(session: Session): Promise<ServiceReading> {
  return eventually(() => {
    const name = session.experiments.newest;
    const found = session.observer.services.find(({ key }) => key === name);
    assert.ok(found !== undefined && found.ips.length > 0, `${name} has no address yet`);
    return found;
  }, soon);
}

async function firstAnswer(session: Session, ip: Ip, port = 0): Promise<string> {
  await using client = await startUdpClient(session.cluster.client, {
    to: ip,
    port,
    perSecond: 50,
  });
  const responder = await eventually(() => {
    const { responder: who } = client.progress;
    assert.ok(who !== undefined, `no answer from ${ip}`);
    return who;
  }, soon);
  return `${ip} is answered by ${responder}`;
}

async function measure(
  session: Session,
  to: Ip,
  port: number,
  act: () => Promise<void>,
): Promise<UdpClientReport> {
  await using client = await startUdpClient(session.cluster.client, { to, port, perSecond: 200 });
  await eventually(() => assert.ok(client.progress.received > 20), soon);
  await act();
  return await client.stop();
}

/** An address that one node has. */
export async function localTarget(session: Session): Promise<{ ip: Ip; port: number }> {
  return eventually(() => {
    const local = session.observer.services.find(({ pool }) => pool?.kind === 'local');
    const ip = local?.ips[0];
    assert.ok(local?.port !== undefined && ip !== undefined, 'no local Service has an address');
    return { ip, port: local.port };
  }, soon);
}

export async function onlyHolder(session: Session, ip: Ip): Promise<string> {
  return eventually(() => {
    const [holder, ...others] = holdersOf(ip, session.facts);
    assert.ok(holder !== undefined && others.length === 0, `${ip} is not on one node`);
    return holder;
  }, soon);
}
