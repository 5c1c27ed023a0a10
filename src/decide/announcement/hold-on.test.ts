import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../model/ip.ts';
import type { Absence } from '../failover/absences.ts';
import { type Doubt, everyLink } from '../failover/distrust-self.ts';
import { familySamples } from './cluster.fixture.ts';
import type { Liveness } from './judge-members.ts';
import { ours } from './node.fixture.ts';
import type { NodeSnapshot } from './node-snapshot.ts';
import { service } from './pool.fixture.ts';
import { rankNodes } from './rank-nodes.ts';
import { calm, eth0, now, place, type SnapshotSpec, usualKernel } from './snapshot.fixture.ts';
import type { Look } from './who-holds.ts';
import { macOfNode } from './wire.fixture.ts';

/** Both probes so many ms ago, and who answered. */
function looked(ago: number, ...nodes: readonly string[]): Look {
  const answers = nodes.map((node) => ({ mac: macOfNode(node), at: now - ago + 1 }));
  return { link: 'eth0', sentAt: [now - ago, now - ago], answers, isDeaf: false };
}

const stalled = (ago: number): ReadonlyMap<string, Doubt> =>
  new Map([[everyLink, { at: now - ago, because: 'stalled' }]]);

const away: Absence = { node: 'b', link: 'eth0', from: now - 1_000, to: now - 100 };

interface Case {
  readonly slot?: string;
  readonly look?: Look;
  /** In place of it. */
  readonly looks?: ReadonlyMap<Ip, Look>;
  readonly claims?: readonly string[];
  readonly claimedAgo?: number;
  readonly self?: Partial<NodeSnapshot['self']>;
  readonly liveness?: ReadonlyMap<string, Liveness>;
  readonly absences?: readonly Absence[];
  /** Whether it is in the kernel. */
  readonly isHeld?: boolean;
  /** What is left of it there. */
  readonly lifetime?: { readonly validSeconds: number };
}

for (const { family, vip, length } of familySamples) {
  const [better = '', worse = ''] = rankNodes(vip, ['a', 'b']);
  const annotation = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';

  const decide = (me: string, given: Case) => {
    const { slot = me, look, claims = [], claimedAgo, self = {}, isHeld = true } = given;
    const annotations = slot === '' ? {} : { [annotation]: `${slot},eth0,${vip}` };
    const addresses = [
      ...(usualKernel.addresses ?? []),
      ...(isHeld ? [ours(eth0, `${vip}/${length}`, given.lifetime)] : []),
    ];
    const spec: SnapshotSpec = {
      services: [service('web', [vip], { annotations })],
      nodes: [me, me === 'a' ? 'b' : 'a', 'c'],
      kernel: { addresses },
      electorate: given.liveness === undefined ? {} : { liveness: given.liveness },
      wire: {
        looks: given.looks ?? new Map(look === undefined ? [] : [[vip, look]]),
        claims: new Map([[vip, new Set(claims)]]),
        absences: given.absences ?? [],
        announced: new Map(
          claimedAgo === undefined ? [] : [[vip, { node: claims[0] ?? 'c', at: now - claimedAgo }]],
        ),
      },
      more: { self: { ...calm, ...self } },
    };
    const [decision] = place(spec).decisions;
    assert.ok(decision !== undefined);
    return decision;
  };

  const check = (me: string, given: Case) => {
    const { outcome, reason, asks } = decide(me, given);
    return `${outcome.kind} ${reason}${asks === undefined ? '' : ', asking'}`;
  };

  const stale = { isStale: true };
  const cases: readonly [string, Case, string][] = [
    [
      'without a current view of the cluster no lifetime is extended before the wire was asked',
      { lifetime: { validSeconds: 150 }, self: stale },
      'leave verifying, asking',
    ],
    [
      'nor while there is no answer yet',
      { lifetime: { validSeconds: 150 }, self: stale, look: looked(5) },
      'leave verifying',
    ],
    [
      'it is extended when nobody else owns it',
      { lifetime: { validSeconds: 150 }, self: stale, look: looked(100) },
      'local electionWon',
    ],
    [
      'the answer counts for one extension: the next one asks again',
      {
        lifetime: { validSeconds: 150 },
        self: { ...stale, verifiedAt: new Map([[vip, now - 5_001]]) },
      },
      'leave verifying, asking',
    ],
    [
      'nothing is asked before an extension is due',
      { lifetime: { validSeconds: 151 }, self: stale },
      'local electionWon',
    ],
    [
      'with a current view of the cluster nothing is asked',
      { lifetime: { validSeconds: 150 } },
      'local electionWon',
    ],
    ['what nothing speaks against stays', {}, 'local electionWon'],
    [
      'after a stall nothing is refreshed or announced before the wire was asked',
      { self: { doubts: stalled(50) } },
      'leave verifying, asking',
    ],
    [
      'what was asked before the stall is asked again',
      { self: { doubts: stalled(50) }, look: looked(60) },
      'leave verifying, asking',
    ],
    [
      'silence verifies it',
      { self: { doubts: stalled(50) }, look: looked(45) },
      'local electionWon',
    ],
    [
      'what was verified since needs no more asking',
      { self: { doubts: stalled(50), verifiedAt: new Map([[vip, now - 20]]) } },
      'local electionWon',
    ],
    [
      'another member that answers and claims it gets it, though the slot names this node',
      { self: { doubts: stalled(50) }, look: looked(45, 'c'), claims: ['c'] },
      'absent yielded',
    ],
    [
      'one that answers and never claimed it proves nothing, and gets time to claim it',
      { self: { doubts: stalled(50) }, look: looked(45, 'c') },
      'leave verifying',
    ],
    [
      'one that answers and never claims it is no holder',
      { self: { doubts: stalled(2_500) }, look: looked(2_400, 'c') },
      'local electionWon',
    ],
    [
      'as long as nobody answers at all, silence verifies nothing',
      {
        self: {
          doubts: new Map([['eth0', { at: now - 50, because: 'isolated', until: now + 150 }]]),
        },
        look: looked(45),
      },
      'leave verifying',
    ],
    [
      'a stranger that answers moves nothing, and keeps nothing from being kept alive',
      { self: { doubts: stalled(50) }, look: looked(45, 'x') },
      'local electionWon, asking',
    ],
    [
      'another member that announces it is asked for, while this one serves on',
      { claims: ['c'], claimedAgo: 10 },
      'local electionWon, asking',
    ],
    [
      'a claim that was followed by silence is settled',
      { claims: ['c'], claimedAgo: 100, self: { verifiedAt: new Map([[vip, now - 50]]) } },
      'local electionWon',
    ],
    [
      'who is named by the slot stays beside another that holds it',
      { claims: ['c'], claimedAgo: 100, look: looked(50, 'c') },
      'local electionWon',
    ],
    [
      'who is not named by the slot yields to the one that is, once that one says that it has it',
      { slot: 'c', look: looked(50, 'c'), claims: ['c'], claimedAgo: 20 },
      'absent yielded',
    ],
    [
      'one that is named by the slot, and merely answers, proves nothing: with IPVS everyone answers',
      { slot: 'c', look: looked(50, 'c') },
      'local electionWon',
    ],
    [
      'what it said long ago proves nothing either',
      { slot: 'c', look: looked(50, 'c'), claims: ['c'], claimedAgo: 10_000 },
      'local electionWon',
    ],
    [
      'what was taken from a member that is back is asked for, and stays meanwhile',
      { self: { verifiedAt: new Map([[vip, now - 800]]) }, absences: [away] },
      'local electionWon, asking',
    ],
    [
      'once the wire was asked since, nothing speaks against it any more',
      { self: { verifiedAt: new Map([[vip, now - 800]]) }, absences: [away], look: looked(50) },
      'local electionWon',
    ],
    [
      'what was here before the member fell silent is not asked for',
      { self: { verifiedAt: new Map([[vip, now - 2_000]]) }, absences: [away] },
      'local electionWon',
    ],
  ];
  for (const [name, given, expected] of cases) {
    test(`${family}: ${name}`, () => assert.equal(check('a', given), expected));
  }

  test(`${family}: where no slot decides, the better rank stays, and says so`, () => {
    const rivals = (me: string, other: string, isBlind = false) => {
      const given = { slot: isBlind ? worse : '', look: looked(50, other), claims: [other] };
      return decide(me, { ...given, claimedAgo: 100, self: { isBlind } });
    };
    for (const isBlind of [false, true]) {
      assert.equal(rivals(worse, better, isBlind).reason, 'yielded');
      const { outcome, defends } = rivals(better, worse, isBlind);
      assert.deepEqual([outcome.kind, defends], ['local', true]);
    }
  });

  test(`${family}: a stranger that answers while it is held is put to the test, and reported`, () => {
    const controls =
      family === 'ipv4' ? ['192.0.2.139', '192.0.2.138'] : ['2001:db8::139', '2001:db8::138'];
    const sentAt = [500, 400, 300, 200, 100].map((ago) => now - ago);
    const often = {
      ...looked(500),
      sentAt,
      answers: sentAt.map((at) => ({ mac: macOfNode('x'), at })),
    };
    const beside = (test: Look) => {
      const looks = new Map([...controls.map((ip) => [ipOf(ip), test] as const), [vip, often]]);
      return decide('a', { self: { doubts: stalled(600) }, looks });
    };
    const { outcome, conflict } = beside({ ...often, answers: [] });
    assert.deepEqual([outcome.kind, conflict], ['local', { mac: macOfNode('x'), link: 'eth0' }]);
    const { conflict: none, findings } = beside(often);
    assert.deepEqual([none, findings], [undefined, [{ kind: 'proxyArp', mac: macOfNode('x') }]]);
  });

  test(`${family}: where the Lease of the other has ended the better rank stays: that one sees no slots`, () => {
    const rival = (me: string, other: string) => {
      const liveness = new Map<string, Liveness>([[other, 'expired']]);
      const given = { slot: worse, look: looked(50, other), claims: [other], claimedAgo: 100 };
      return check(me, { ...given, liveness });
    };
    assert.equal(rival(worse, better), 'absent yielded');
    assert.equal(rival(better, worse), 'local electionWon');
  });

  test(`${family}: who is to yield says that it holds it, so that the other says so too`, () => {
    assert.equal(decide('a', { slot: 'c', look: looked(50, 'c') }).defends, true);
  });

  test(`${family}: whose Lease ended with what it promised yields to who took over`, () => {
    const given = { look: looked(50, 'c'), claims: ['c'], claimedAgo: 100 };
    assert.equal(
      check('a', { ...given, self: { isBlind: true, isLapsed: true } }),
      'absent yielded',
    );
  });

  test(`${family}: heirs are asked by themselves: with ARP suppression nobody else is reached`, () => {
    const { asks } = decide('a', { self: { doubts: stalled(50) } });
    const heirs = rankNodes(vip, ['b', 'c']).map(macOfNode);
    assert.deepEqual(
      asks?.map(({ to }) => to),
      [heirs],
    );
  });

  test(`${family}: who is back is asked by itself too`, () => {
    const verifiedAt = new Map([[vip, now - 800]]);
    const { asks } = decide('a', { slot: 'a', self: { verifiedAt }, absences: [away] });
    assert.ok(asks?.[0]?.to.includes(macOfNode('b')));
  });

  test(`${family}: who has not reached the API server since gives way to one that insists`, () => {
    const insisting = (renewedAgo: number) => {
      const self = {
        verifiedAt: new Map([[vip, now - 800]]),
        contestedSince: new Map([[vip, now - 600]]),
        confirmedAt: now - renewedAgo,
      };
      const said = { claims: ['b'], claimedAgo: 10, look: looked(50, 'b') };
      return check('a', { slot: 'a', self, ...said });
    };
    assert.equal(insisting(1_000), 'absent yielded');
    assert.equal(insisting(590), 'local electionWon');
  });

  test(`${family}: who gave it up looks back once, and takes it again if nobody has it`, () => {
    const gone = { isHeld: false, slot: 'c', self: { yieldedAt: new Map([[vip, now - 50]]) } };
    assert.equal(check('a', { ...gone, look: looked(60, 'c') }), 'absent yielded, asking');
    assert.equal(check('a', { ...gone, look: looked(45, 'c') }), 'absent lostElection');
    assert.equal(check('a', { ...gone, look: looked(45) }), 'local electionWon');
    const late = { ...gone, self: { yieldedAt: new Map([[vip, now - 2_050]]) } };
    assert.equal(check('a', { ...late, look: looked(45) }), 'absent lostElection');
  });
}
