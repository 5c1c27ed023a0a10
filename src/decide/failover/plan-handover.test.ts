import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { ours } from '../announcement/node.fixture.ts';
import { service } from '../announcement/pool.fixture.ts';
import { rankNodes } from '../announcement/rank-nodes.ts';
import {
  describeDecision,
  eth0,
  excluded,
  now,
  place,
  type SnapshotSpec,
  usualKernel,
} from '../announcement/snapshot.fixture.ts';
import { macOfNode } from '../announcement/wire.fixture.ts';
import type { HandingOver } from './hand-over.ts';
import { type Handover, type HandoverView, noHandovers } from './handover-view.ts';

for (const { family, vip, length } of familySamples) {
  const [best = '', second = '', third = ''] = rankNodes(vip, ['a', 'b', 'c']);
  const annotation = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const slotOf = (node: string) => ({ [annotation]: `${node},eth0,${vip}` });
  const web = (annotations: Readonly<Record<string, string>>) =>
    service('web', [vip], { annotations });
  const holding = {
    addresses: [...(usualKernel.addresses ?? []), ours(eth0, `${vip}/${length}`)],
  };
  const remembering = (handover: Handover) => new Map([[vip, handover]]);
  const handing = (to: string, phase: HandingOver['phase']): Handover => ({
    role: 'holder',
    cause: 'excluded',
    to,
    chosenAt: now - 1_000,
    phase,
    failed: new Map(),
  });

  /** The best holds it, and has the slot. */
  function decide(spec: SnapshotSpec = {}, handovers: Partial<HandoverView> = {}) {
    const me = spec.electorate?.me ?? best;
    const peers = new Set(['a', 'b', 'c'].filter((node) => node !== me));
    const [decision] = place({
      services: [web(slotOf(best))],
      kernel: holding,
      ...spec,
      electorate: { ...spec.electorate, me },
      more: { handovers: { ...noHandovers, peers, ...handovers } },
    }).decisions;
    assert.ok(decision !== undefined);
    return decision;
  }

  /** `local eth0/24 (handingOver) to b, excluded`. */
  function told(...given: Parameters<typeof decide>): string {
    const decision = decide(...given);
    const { handover } = decision;
    const to = handover?.role === 'holder' ? ` to ${handover.to}, ${handover.cause}` : '';
    return describeDecision(decision).replace(`${vip}: `, '') + to;
  }

  const here = `local eth0/${length}`;
  const labelled = { electorate: excluded(best) };

  test(`${family}: who is excluded serves on and names its successor`, () => {
    assert.equal(told(labelled), `${here} (handingOver) to ${second}, excluded`);
  });

  test(`${family}: a successor that speaks another version gets it by silence`, () => {
    assert.equal(told(labelled, { peers: new Set() }), 'absent (lostElection)');
  });

  test(`${family}: where nobody else may hold it, it goes`, () => {
    const electorate = excluded('a', 'b', 'c');
    assert.equal(told({ electorate }), 'absent (noEligibleNodes)');
  });

  test(`${family}: an eligible holder keeps it`, () => {
    assert.equal(told(), `${here} (electionWon)`);
  });

  test(`${family}: a move that was asked for is carried out, whatever the hash says`, () => {
    const services = [web({ ...slotOf(best), 'purelb.io/move': `${vip}=${third}` })];
    assert.equal(told({ services }), `${here} (handingOver) to ${third}, move`);
  });

  test(`${family}: a node without a configuration hands over, and touches nothing meanwhile`, () => {
    const electorate = { mySubnets: [] };
    const decision = told({ config: undefined, electorate });
    assert.equal(decision, `leave (handingOver) to ${second}, configuration`);
  });

  test(`${family}: a node that ends hands over`, () => {
    const electorate = { isLeaving: true };
    assert.equal(told({ electorate }), `${here} (handingOver) to ${second}, shutdown`);
  });

  test(`${family}: what moved too often stays a while, unless the node ends`, () => {
    const damped = new Map([[vip, now + 60_000]]);
    assert.equal(told(labelled, { damped }), `${here} (damped)`);
    assert.equal(decide(labelled, { damped }).wakeAt, now + 60_000);
    const over = new Map([[vip, now]]);
    assert.equal(told(labelled, { damped: over }), `${here} (handingOver) to ${second}, excluded`);
    const leaving = { electorate: { isLeaving: true } };
    assert.equal(told(leaving, { damped }), `${here} (handingOver) to ${second}, shutdown`);
  });

  test(`${family}: what is under way is not damped`, () => {
    const damped = new Map([[vip, now + 60_000]]);
    const memory = remembering(handing(second, { kind: 'named', since: now - 100 }));
    assert.equal(
      told(labelled, { damped, memory }),
      `${here} (handingOver) to ${second}, excluded`,
    );
  });

  const answered = (node: string) => ({
    looks: new Map([
      [
        vip,
        {
          link: 'eth0',
          sentAt: [now - 10],
          answers: [{ mac: macOfNode(node), at: now - 9 }],
          isDeaf: false,
        },
      ],
    ]),
  });
  const overlap = handing(second, { kind: 'overlap', since: now - 600, askingSince: now - 10 });

  test(`${family}: verified again after the overlap, it goes`, () => {
    const spec = { ...labelled, wire: answered(second) };
    assert.equal(told(spec, { memory: remembering(overlap) }), 'absent (handedOver)');
  });

  test(`${family}: where a newer process runs, nothing is touched`, () => {
    const spec = { ...labelled, wire: answered(second) };
    const memory = remembering(overlap);
    assert.equal(told(spec, { memory, isLeaseOurs: false }), 'leave (newerProcess)');
  });

  test(`${family}: unknown: what is under way is not forgotten`, () => {
    const memory = remembering(overlap);
    const spec = { ...labelled, kernel: { ...holding, routes: undefined } };
    assert.deepEqual(decide(spec, { memory }).handover, overlap);
  });

  test(`${family}: when the label goes in time it stays, and the neighbours are told`, () => {
    const memory = remembering(handing(second, { kind: 'named', since: now - 100 }));
    const decision = decide({}, { memory });
    assert.deepEqual(decision.handover, { role: 'settled', at: now });
    const settled = remembering({ role: 'settled', at: now - 5_000 });
    assert.deepEqual(decide({}, { memory: settled }).handover, {
      role: 'settled',
      at: now - 5_000,
    });
  });

  test(`${family}: nobody takes it: it is served on, as this node's own`, () => {
    const failed = new Map([
      [second, now + 1_000],
      [third, now + 2_000],
    ]);
    const memory = remembering({
      ...overlap,
      role: 'holder',
      to: undefined,
      cause: 'excluded',
      chosenAt: now,
      phase: { kind: 'naming' },
      failed,
    });
    assert.match(told(labelled, { memory }), /noSuccessor/);
  });

  /** The second is to take it from the best, which is excluded. */
  const successor = (spec: SnapshotSpec = {}, handovers: Partial<HandoverView> = {}) =>
    decide(
      { kernel: {}, ...spec, electorate: { ...excluded(best), me: second } },
      { offered: new Map([[vip, best]]), ...handovers },
    );

  test(`${family}: who is named takes it while its holder answers`, () => {
    const decision = successor({ wire: answered(best) });
    assert.equal(describeDecision(decision), `${vip}: ${here} (takingOver)`);
    assert.deepEqual(decision.handover, { role: 'successor', from: best, since: now });
    assert.equal('wanted' in decision.outcome && decision.outcome.wanted.noDad, true);
    assert.deepEqual([decision.election?.winner, decision.election?.because], [second, 'handed']);
  });

  test(`${family}: who is not named does not`, () => {
    const decision = successor({ wire: answered(best) }, { offered: new Map() });
    assert.equal(describeDecision(decision), `${vip}: absent (heldByMember)`);
  });

  test(`${family}: who is named asks the wire first, the holder by unicast`, () => {
    const [ask] = successor().asks ?? [];
    const expected = { ip: vip, link: 'eth0', isFirst: true, to: [macOfNode(best)], repeatMs: 20 };
    assert.deepEqual(ask, expected);
  });
}
