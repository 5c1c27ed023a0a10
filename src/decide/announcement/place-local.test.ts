import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ip } from '../../model/ip.ts';
import type { Pool } from '../../model/pool.ts';
import { familySamples } from './cluster.fixture.ts';
import { ours } from './node.fixture.ts';
import { checkedGroup, group, localGroup, service, v4Range, v6Range } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import {
  configOf,
  eth0,
  excluded,
  kubeLb0,
  now,
  place,
  placed,
  type SnapshotSpec,
  usualKernel,
} from './snapshot.fixture.ts';
import type { Look } from './who-holds.ts';
import { macOfNode } from './wire.fixture.ts';

/** Asked so many ms ago, and who answered. */
function looked(ago: number, ...nodes: readonly string[]): Look {
  const answers = nodes.map((node) => ({ mac: macOfNode(node), at: now - ago + 1 }));
  return { link: 'eth0', sentAt: [now - ago], answers, isDeaf: false };
}

for (const { family, vip, vip2, vips, length } of familySamples) {
  const [winner = '', second = '', third = ''] = rankNodes(vip, ['a', 'b', 'c']);
  const annotation = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const slotOf = (node: string) => ({ [annotation]: `${node},eth0,${vip}` });
  const web = (annotations: Readonly<Record<string, string>> = {}, spec: object = {}) =>
    service('web', [vip], { annotations, spec });
  const holding = (on = eth0, more = {}) => ({
    addresses: [...(usualKernel.addresses ?? []), ours(on, `${vip}/${length}`, more)],
  });
  const onLink = `${vip}: local eth0/${length} (electionWon)`;
  const elsewhere = `${vip}: absent (lostElection)`;

  const at = (me: string, spec: SnapshotSpec = {}) =>
    placed({ services: [web()], ...spec, electorate: { ...spec.electorate, me } });

  const checked = (me: string, spec: SnapshotSpec = {}, pools: readonly Pool[] = [checkedGroup]) =>
    place({ services: [web()], pools, ...spec, electorate: { me } });

  const looks = (look: Look, ip: Ip = vip) => ({ wire: { looks: new Map([[ip, look]]) } });

  test(`${family}: T1: a local address is on the link of the node elected for it, and of no other`, () => {
    assert.deepEqual(at(winner), [onLink]);
    assert.deepEqual(at(second), [elsewhere]);
    assert.deepEqual(at(third), [elsewhere]);
  });

  test(`${family}: nothing is taken on a link that has just lost its carrier, and what is there stays`, () => {
    const links = [{ ...eth0, hasCarrier: false }, kubeLb0];
    assert.deepEqual(at(winner, { kernel: { links } }), [`${vip}: absent (linkNotReady)`]);
    assert.deepEqual(at(winner, { kernel: { links, ...holding() } }), [onLink]);
  });

  test(`${family}: of two holders the one in the slot stays, and the other yields once it heard it`, () => {
    const rival = { services: [web(slotOf(winner))], kernel: holding() };
    const [asking] = place({ ...rival, electorate: { me: second } }).decisions;
    assert.deepEqual([asking?.outcome.kind, asking?.asks?.length], ['local', 1]);
    const announced = new Map([[vip, { node: winner, at: now - 5 }]]);
    const heard = { ...rival, wire: { ...looks(looked(10, winner)).wire, announced } };
    assert.deepEqual(at(second, heard), [`${vip}: absent (yielded)`]);
    assert.deepEqual(at(winner, rival), [onLink]);
  });

  test(`${family}: a holder stays if the one in the slot does not answer`, () => {
    const rival = { services: [web(slotOf(winner))], kernel: holding() };
    const unanswered = { ...looked(100), sentAt: [now - 100, now - 50] };
    assert.deepEqual(at(second, { ...rival, ...looks(unanswered) }), [onLink]);
    const silent = { wire: { silent: new Map([['eth0', new Set([winner])]]) } };
    const [decision] = place({ ...rival, ...silent, electorate: { me: second } }).decisions;
    assert.deepEqual([decision?.outcome.kind, decision?.asks], ['local', undefined]);
  });

  test(`${family}: a holder that hears nothing of the one in the slot asks again every second`, () => {
    const rival = { services: [web(slotOf(winner))], kernel: holding() };
    const twice = (ago: number) => ({ ...looked(ago), sentAt: [now - ago - 20, now - ago] });
    const ask = (ago: number) =>
      place({ ...rival, ...looks(twice(ago)), electorate: { me: second } }).decisions[0];
    assert.deepEqual([ask(900)?.asks, ask(900)?.wakeAt], [undefined, now + 1000]);
    assert.deepEqual([ask(1000)?.outcome.kind, ask(1000)?.asks?.length], ['local', 1]);
  });

  test(`${family}: who does not answer is not elected, be it for all or for this address`, () => {
    for (const wire of [
      { silent: new Map([['eth0', new Set([winner])]]) },
      { orphans: new Map([[vip, new Set([winner])]]) },
    ]) {
      const named = { services: [web(slotOf(winner))], wire };
      assert.deepEqual(at(third, named), [elsewhere]);
      const [decision] = place({ ...named, electorate: { me: second } }).decisions;
      assert.equal(decision?.election?.winner, second);
      assert.equal(decision?.election?.candidates[0]?.verdict, 'silent');
    }
    const other = { silent: new Map([['eth1', new Set([winner])]]) };
    assert.deepEqual(at(second, { services: [web(slotOf(winner))], wire: other }), [elsewhere]);
  });

  test(`${family}: T6: it has the subnet's length, a lifetime, and no route of its own`, () => {
    const { wanted } = place({ services: [web()], electorate: { me: winner } });
    assert.deepEqual(wanted, [
      {
        link: 'eth0',
        ip: vip,
        prefixLength: length,
        validSeconds: 300,
        preferredSeconds: family === 'ipv4' ? 300 : 0,
        noPrefixRoute: true,
        noDad: true,
      },
    ]);
  });

  test(`${family}: T6: IPv6 is never preferred, whatever is configured`, () => {
    const config = configOf({
      addressConfig: { localInterface: { validLifetime: 0, noPrefixRoute: false } },
    });
    const [one] = place({ services: [web()], electorate: { me: winner }, config }).wanted;
    assert.deepEqual(
      [one?.validSeconds, one?.preferredSeconds, one?.noPrefixRoute],
      [Infinity, family === 'ipv4' ? Infinity : 0, false],
    );
  });

  test(`${family}: what is in this kernel stays here, whatever slot and hash say`, () => {
    assert.deepEqual(at(third, { kernel: holding() }), [onLink]);
    assert.deepEqual(at(third, { kernel: holding(), services: [web(slotOf(second))] }), [onLink]);
  });

  test(`${family}: the node in the slot is the holder where nothing else is known`, () => {
    const services = [web(slotOf(third))];
    const silence = looks({ ...looked(100), sentAt: [now - 100, now - 80] });
    assert.deepEqual(at(third, { services }), [`${vip}: absent (askingTheWire)`]);
    assert.deepEqual(at(third, { services, ...silence }), [onLink]);
    assert.deepEqual(at(winner, { services }), [elsewhere]);
  });

  test(`${family}: an address on the virtual link is not held as a local one`, () => {
    assert.deepEqual(at(third, { kernel: holding(kubeLb0) }), [elsewhere]);
  });

  test(`${family}: placement Hash moves it to the best rank`, () => {
    const spec = { v4pools: [v4Range], v6pools: [v6Range], placement: 'Hash' };
    const pools = [group('local', { local: spec, conflictCheck: { mode: 'Off' } })];
    assert.deepEqual(at(third, { pools, kernel: holding() }), [elsewhere]);
    const other = web(slotOf(third));
    assert.deepEqual(
      place({ services: [other], pools, electorate: { me: winner } }).decisions[0]?.election
        ?.because,
      'hash',
    );
  });

  test(`${family}: F5: a node that is excluded gives its addresses up`, () => {
    const electorate = excluded(third);
    assert.deepEqual(at(third, { electorate, kernel: holding() }), [elsewhere]);
    assert.deepEqual(at(winner, { electorate: excluded('a', 'b', 'c'), kernel: holding() }), [
      `${vip}: absent (noEligibleNodes)`,
    ]);
  });

  test(`${family}: F4: with affinity the node with endpoints has it`, () => {
    const services = [web({ 'purelb.io/node-affinity': 'service-endpoints' })];
    const endpoints = { 'shop/web': third };
    assert.deepEqual(at(third, { services, endpoints }), [onLink]);
    assert.deepEqual(at(winner, { services, endpoints, kernel: holding() }), [elsewhere]);
    assert.deepEqual(at(winner, { services, endpoints: null, kernel: holding() }), [
      `${vip}: leave (endpointsUnknown)`,
    ]);
  });

  test(`${family}: K4: with allow-local only nodes with endpoints are eligible`, () => {
    const services = [web({ 'purelb.io/allow-local': '' }, { externalTrafficPolicy: 'Local' })];
    const endpoints = { 'shop/web': third };
    assert.deepEqual(at(third, { services, endpoints }), [onLink]);
    assert.deepEqual(at(winner, { services, endpoints, kernel: holding() }), [elsewhere]);
    assert.deepEqual(at(winner, { services, endpoints: {}, kernel: holding() }), [onLink]);
  });

  test(`${family}: before first use the wire is asked`, () => {
    const first = checked(winner);
    assert.deepEqual(first.wanted, []);
    assert.deepEqual(first.decisions[0]?.asks, [{ ip: vip, link: 'eth0', isFirst: true, to: [] }]);
    assert.deepEqual(checked(winner, looks(looked(5))).wakeAt, now + 15);
    assert.deepEqual(checked(winner, looks(looked(20))).wanted.length, 1);
    assert.deepEqual(checked(second).decisions[0]?.asks, undefined);
  });

  test(`${family}: nobody is asked about what is in this kernel`, () => {
    assert.equal(checked(third, { kernel: holding() }).wanted.length, 1);
  });

  test(`${family}: a member that answers and is named by the slot keeps it, its Lease or not`, () => {
    const services = [web(slotOf(second))];
    const electorate = { liveness: new Map([[second, 'expired' as const]]) };
    const spec = { services, electorate, wire: { looks: new Map([[vip, looked(20, second)]]) } };
    assert.deepEqual(at(winner, spec), [elsewhere]);
    assert.deepEqual(at(winner, { services, electorate }), [`${vip}: absent (askingTheWire)`]);
    const { wakeAt } = place({ ...spec, electorate: { ...electorate, me: winner } });
    assert.equal(wakeAt, now - 19 + 5000);
  });

  test(`${family}: a member that is to give it up is waited for`, () => {
    const services = [web(slotOf(second))];
    const spec = { services, electorate: excluded(second), ...looks(looked(20, second)) };
    assert.deepEqual(at(winner, spec), [`${vip}: absent (heldByMember)`]);
    assert.equal(
      place({ ...spec, electorate: { ...spec.electorate, me: winner } }).wakeAt,
      now + 480,
    );
  });

  test(`${family}: F11: a stranger that answers is a conflict, with its MAC`, () => {
    const controls = vips.slice(-2).map((ip): [Ip, Look] => [ip, askedInVain()]);
    const inRange = family === 'ipv4' ? controls : ipv6Controls();
    const wire = { looks: new Map([[vip, answeredOften('x')], ...inRange]) };
    const { wanted, decisions } = checked(winner, { wire });
    assert.deepEqual(wanted, []);
    assert.equal(decisions[0]?.reason, 'addressConflict');
    assert.deepEqual(decisions[0]?.conflict, { mac: macOfNode('x'), link: 'eth0' });
  });

  test(`${family}: F11: before that, two addresses that nobody has are asked for beside it`, () => {
    const { decisions } = checked(winner, looks(looked(10, 'x')));
    const last =
      family === 'ipv4' ? ['192.0.2.139', '192.0.2.138'] : ['2001:db8::139', '2001:db8::138'];
    assert.deepEqual(
      decisions[0]?.asks?.map(({ ip }) => ip),
      [...last, vip],
    );
  });

  test(`${family}: F11: what is in conflict is not asked for again at once, and stays if held`, () => {
    const wire = { conflicts: new Map([[vip, { mac: macOfNode('x'), at: now - 1000 }]]) };
    assert.deepEqual(at(winner, { wire }), [`${vip}: absent (addressConflict)`]);
    assert.deepEqual(at(winner, { wire, kernel: holding() }), [onLink]);
  });

  test(`${family}: an address in quarantine is not used`, () => {
    const more = { quarantine: new Map([[vip, Number.MAX_SAFE_INTEGER]]) };
    assert.deepEqual(at(winner, { more }), [`${vip}: absent (quarantined)`]);
  });

  test(`${family}: two Services that share an address are one address`, () => {
    const services = [web(), service('api', [vip, vip2])];
    const { decisions } = place({ services, electorate: { me: winner } });
    assert.deepEqual(
      decisions.map(({ services: keys }) => keys),
      [['shop/api', 'shop/web'], ['shop/api']],
    );
  });

  test(`${family}: an address that is held without a group stays where it is`, () => {
    assert.deepEqual(at(third, { pools: [], kernel: holding() }), [onLink]);
  });
}

function ipv6Controls(): readonly [Ip, Look][] {
  return ['2001:db8::139', '2001:db8::138'].map((ip) => [ip as Ip, askedInVain()]);
}

const rounds = [500, 400, 300, 200, 100].map((ago) => now - ago);

function askedInVain(): Look {
  return { link: 'eth0', sentAt: rounds, answers: [], isDeaf: false };
}

function answeredOften(node: string): Look {
  return { ...askedInVain(), answers: rounds.map((at) => ({ mac: macOfNode(node), at })) };
}

test('decision 7: the kernel looks for duplicates only if the group keeps that', () => {
  const [, sample] = familySamples;
  const ip = sample?.vip ?? ('' as Ip);
  const [me = ''] = rankNodes(ip, ['a', 'b', 'c']);
  const noDad = (pool: Pool, annotations: Readonly<Record<string, string>> = {}) =>
    place({
      services: [service('web', [ip], { annotations })],
      pools: [pool],
      electorate: { me },
      wire: { looks: new Map([[ip, looked(20)]]) },
    }).wanted[0]?.noDad;
  const keeping = group('local', {
    local: { v6pools: [v6Range] },
    conflictCheck: { kernelDAD: true },
  });
  assert.equal(noDad(checkedGroup), true);
  assert.equal(noDad(keeping), false);
  const forged = { 'purelb.io/skip-ipv6-dad': 'true' };
  assert.equal(noDad(keeping, forged), false, 'trust: the group says it, not the Service');
});

test('decision 7: skipIPv6DAD skips the look too, for IPv6 only', () => {
  const pool = group('local', {
    local: { v4pools: [v4Range], v6pools: [v6Range], skipIPv6DAD: true },
  });
  const asked = familySamples.map(({ vip }) => {
    const [me = ''] = rankNodes(vip, ['a', 'b', 'c']);
    return place({ services: [service('web', [vip])], pools: [pool], electorate: { me } }).wanted
      .length;
  });
  assert.deepEqual(asked, [0, 1]);
});

test('decision 7: a permanent address that failed detection is a conflict and goes', () => {
  const [, sample] = familySamples;
  const ip = sample?.vip ?? ('' as Ip);
  const [me = ''] = rankNodes(ip, ['a', 'b', 'c']);
  const failed = ours(eth0, `${ip}/64`, { hasFailedDad: true, isTentative: true });
  const { wanted, decisions } = place({
    services: [service('web', [ip])],
    kernel: { addresses: [...(usualKernel.addresses ?? []), failed] },
    electorate: { me },
    pools: [localGroup],
  });
  assert.deepEqual(wanted, []);
  assert.deepEqual(decisions[0]?.conflict, { mac: undefined, link: 'eth0' });
});
