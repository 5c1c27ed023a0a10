import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ipOf } from '../../model/ip.ts';
import type { Placement } from '../../model/pool.ts';
import { prefixOf } from '../../model/prefix.ts';
import { clusterNode, electorateOf, familySamples, member } from './cluster.fixture.ts';
import { type Contest, type Election, elect, type Incumbent } from './elect.ts';
import type { ElectorateFacts } from './electorate.ts';
import { rankNodes } from './rank-nodes.ts';

const nodes = ['node-a', 'node-b', 'node-c'];

const anyVip = ipOf('192.0.2.100');

function run(
  contest: Partial<Contest> = {},
  facts: Partial<ElectorateFacts> = {},
  names = nodes,
): Election {
  return elect(electorateOf(names, facts), { ip: anyVip, placement: 'Sticky', ...contest });
}

function held(node: string, evidence: Incumbent['evidence'] = 'slot'): Incumbent {
  return { node, evidence };
}

function verdictsOf({ candidates }: Election): Readonly<Record<string, string>> {
  return Object.fromEntries(candidates.map(({ node, verdict }) => [node, verdict]));
}

for (const { family, vip, farIp } of familySamples) {
  test(`${family}: without a holder the lowest hash wins`, () => {
    const { winner, because, candidates } = run({ ip: vip });
    assert.equal(because, 'hash');
    assert.equal(winner, candidates[0]?.node);
  });

  test(`${family}: an eligible holder stays, whatever the hash says`, () => {
    for (const node of nodes) {
      const { winner, because } = run({ ip: vip, incumbent: held(node) });
      assert.deepEqual({ winner, because }, { winner: node, because: 'incumbent' });
    }
  });

  test(`${family}: Hash placement goes by the hash always`, () => {
    const winners = nodes.map((node) => run({ ip: vip, placement: 'Hash', incumbent: held(node) }));
    assert.deepEqual(
      new Set(winners.map(({ winner }) => winner)),
      new Set([run({ ip: vip }).winner]),
    );
  });

  test(`${family}: F6: where it was asked for wins over where it is, if it may be there`, () => {
    const incumbent = held('node-a', 'kernel');
    const { winner, because } = run({ ip: vip, incumbent, asked: 'node-b' });
    assert.deepEqual({ winner, because }, { winner: 'node-b', because: 'asked' });
    for (const contest of [
      { asked: 'node-x' },
      { asked: 'node-b', silent: new Set(['node-b']) },
      { asked: 'node-b', preferred: new Set(['node-a', 'node-c']) },
      { asked: 'node-b', required: new Set(['node-a']) },
    ]) {
      const stays = run({ ip: vip, incumbent, ...contest });
      assert.deepEqual([stays.winner, stays.because], ['node-a', 'incumbent']);
    }
  });

  test(`${family}: who was passed over comes after all others that may hold it`, () => {
    const [first = '', second = '', third = ''] = rankNodes(vip, nodes);
    const passed = (...names: readonly string[]) => run({ ip: vip, passedOver: new Set(names) });
    assert.equal(passed(first).winner, second);
    assert.equal(passed(first, second).winner, third);
    assert.equal(passed(first, second, third).winner, first);
    assert.equal(verdictsOf(passed(first))[first], 'passedOver');
    const asked = { ip: vip, asked: first, passedOver: new Set([first]) };
    assert.equal(run(asked).winner, second);
  });

  test(`${family}: placement by hash takes no wishes`, () => {
    const best = run({ ip: vip }).winner;
    const asked = nodes.find((node) => node !== best);
    assert.equal(run({ ip: vip, placement: 'Hash', asked }).winner, best);
  });

  test(`${family}: nobody holds an address that is in nobody's subnet`, () => {
    const { winner, because, candidates } = run({ ip: farIp, incumbent: held('node-a') });
    assert.deepEqual({ winner, because }, { winner: undefined, because: 'nobody' });
    assert.deepEqual(new Set(candidates.map(({ verdict }) => verdict)), new Set(['otherSubnet']));
  });

  test(`${family}: only nodes of the address's subnet are candidates`, () => {
    const apart = familySamples.map(({ elsewhere }) => prefixOf(elsewhere));
    const members = [member('node-a'), member('node-b', { subnets: apart }), member('node-c')];
    assert.deepEqual(verdictsOf(run({ ip: vip }, { members })), {
      'node-a': 'eligible',
      'node-b': 'otherSubnet',
      'node-c': 'eligible',
    });
    assert.equal(run({ ip: farIp }, { members }).winner, 'node-b');
  });
}

test('spec 13.6: candidates are ranked by the hash of node and address', () => {
  for (const ip of familySamples.flatMap(({ vips }) => vips)) {
    assert.deepEqual(
      run({ ip }).candidates.map(({ node }) => node),
      rankNodes(ip, nodes),
    );
  }
});

test('spec 13.6: overlapping subnets all count', () => {
  const wide = [prefixOf('192.0.0.0/16')];
  const members = [member('node-a', { subnets: wide }), member('node-b'), member('node-c')];
  assert.equal(verdictsOf(run({}, { members, me: 'node-c' }))['node-a'], 'eligible');
});

test('every member that may not hold the address is told why', () => {
  const names = ['me', 'dead', 'gone', 'labelled', 'leaving', 'fine'];
  const election = run(
    {},
    {
      liveness: new Map([['dead', 'expired']]),
      nodes: [
        clusterNode('me'),
        clusterNode('dead'),
        clusterNode('labelled', { isExcluded: true }),
        clusterNode('leaving', { isBeingRemoved: true }),
        clusterNode('fine'),
      ],
      mySubnets: [],
      myUnreadySubnets: [prefixOf('192.0.2.0/24')],
    },
    names,
  );
  assert.deepEqual(verdictsOf(election), {
    me: 'linkNotReady',
    dead: 'leaseExpired',
    gone: 'nodeGone',
    labelled: 'excludedByLabel',
    leaving: 'beingRemoved',
    fine: 'eligible',
  });
  assert.equal(election.winner, 'fine');
});

test('a holder that is excluded or being removed gives way', () => {
  for (const more of [{ isExcluded: true }, { isBeingRemoved: true }]) {
    const facts = {
      nodes: [clusterNode('node-a', more), ...nodes.slice(1).map((n) => clusterNode(n))],
    };
    const { winner } = run({ incumbent: held('node-a', 'kernel') }, facts);
    assert.notEqual(winner, 'node-a');
  }
});

test('a holder with an expired Lease keeps what it answers for, and only that', () => {
  const facts: Partial<ElectorateFacts> = { liveness: new Map([['node-b', 'expired']]) };
  assert.equal(run({ incumbent: held('node-b', 'wire') }, facts).winner, 'node-b');
  assert.notEqual(run({ incumbent: held('node-b', 'slot') }, facts).winner, 'node-b');
  assert.equal(
    run({ incumbent: held('node-b', 'wire'), placement: 'Hash' }, facts).winner,
    'node-b',
  );
});

test('this node keeps what is in its kernel while its Lease is missing, and takes nothing new', () => {
  const facts = { members: [member('node-b'), member('node-c')] };
  assert.equal(run({ incumbent: held('node-a', 'kernel') }, facts).winner, 'node-a');
  assert.notEqual(run({}, facts).winner, 'node-a');
});

test('spec 13.7: preferred nodes go first, and the holder among them stays', () => {
  const both = new Set(['node-a', 'node-c']);
  assert.equal(run({ preferred: new Set(['node-c']) }).winner, 'node-c');
  assert.equal(run({ preferred: both, incumbent: held('node-c') }).winner, 'node-c');
  assert.equal(run({ preferred: both, incumbent: held('node-b') }).because, 'hash');
  assert.notEqual(run({ preferred: both, incumbent: held('node-b') }).winner, 'node-b');
});

test('spec 13.7: if no preferred node is eligible, all are asked, and it is counted', () => {
  const { winner, isFallback } = run({ preferred: new Set(['stranger']) });
  assert.deepEqual({ winner, isFallback }, { winner: run().winner, isFallback: true });
  assert.equal(run({ preferred: new Set() }).isFallback, false);
  assert.equal(run({ preferred: new Set(['node-a']) }).isFallback, false);
});

test('K4: with allow-local only nodes with endpoints are eligible', () => {
  const election = run({ required: new Set(['node-c']), incumbent: held('node-a', 'kernel') });
  assert.equal(election.winner, 'node-c');
  assert.deepEqual(verdictsOf(election), {
    'node-a': 'noEndpoints',
    'node-b': 'noEndpoints',
    'node-c': 'eligible',
  });
});

test('where none of the required nodes is eligible, one that has just got an endpoint is', () => {
  const incumbent = held('node-a', 'kernel');
  const far = { required: new Set(['stranger']), spare: new Set(['stranger', 'node-c']) };
  assert.equal(run({ ...far, incumbent }).winner, 'node-c');
  const near = { required: new Set(['node-b']), spare: new Set(['node-b', 'node-c']) };
  assert.equal(run({ ...near, incumbent }).winner, 'node-b');
  const nobody = { required: new Set(['stranger']), spare: new Set(['stranger']) };
  assert.equal(run({ ...nobody, incumbent }).winner, 'node-a');
});

test('K4: without any endpoint nothing moves', () => {
  assert.equal(run({ required: new Set(), incumbent: held('node-a') }).winner, 'node-a');
});

const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9-]{0,9}$/), {
  minLength: 2,
  maxLength: 7,
});
const anyContest = fc.record(
  {
    ip: fc.constantFrom(...familySamples.flatMap(({ vips }) => vips)),
    placement: fc.constantFrom<Placement>('Sticky', 'Hash'),
    incumbentAt: fc.option(fc.nat(6), { nil: undefined }),
    preferredMask: fc.option(fc.nat(127), { nil: undefined }),
  },
  { noNullPrototype: true },
);

test('invariant 3: all nodes elect the same winner from the same facts', () => {
  fc.assert(
    fc.property(names, anyContest, (list, drawn) => {
      const contest = contestOf(list, drawn);
      const winners = list.map((me) => run(contest, { me }, list).winner);
      assert.equal(new Set(winners).size, 1);
      assert.ok(winners[0] !== undefined && list.includes(winners[0]));
    }),
  );
});

test('invariant 3: removing a loser never moves an address', () => {
  fc.assert(
    fc.property(names, anyContest, fc.nat(6), (list, drawn, at) => {
      const contest = contestOf(list, drawn);
      const before = run(contest, {}, list).winner;
      const gone = list[at % list.length];
      if (gone === before) return;
      const incumbent = before === undefined ? undefined : held(before);
      const rest = list.filter((name) => name !== gone);
      assert.equal(run({ ...contest, incumbent }, { me: rest[0] ?? '' }, rest).winner, before);
    }),
  );
});

test('invariant 3: a node that joins or returns never moves a sticky address', () => {
  fc.assert(
    fc.property(names, anyContest, (list, { ip }) => {
      const [joining = '', ...present] = list;
      const before = run({ ip }, { me: present[0] ?? '' }, present).winner ?? '';
      const after = run({ ip, incumbent: held(before) }, { me: joining }, list);
      assert.deepEqual([after.winner, after.because], [before, 'incumbent']);
    }),
  );
});

function contestOf(
  list: readonly string[],
  drawn: typeof anyContest extends fc.Arbitrary<infer T> ? T : never,
): Contest {
  const node = drawn.incumbentAt === undefined ? undefined : list[drawn.incumbentAt];
  const mask = drawn.preferredMask;
  return {
    ip: drawn.ip,
    placement: drawn.placement,
    incumbent: node === undefined ? undefined : held(node),
    preferred:
      mask === undefined ? undefined : new Set(list.filter((_, bit) => (mask >> bit) % 2 === 1)),
  };
}

for (const { family, vip } of familySamples) {
  const failing = (name: string) =>
    nodes.map((node) => member(node, { failing: node === name ? [vip] : [] }));

  test(`${family}: spec 19 #29: a node that could not add the address gives way to the next`, () => {
    const [first = '', second] = rankNodes(vip, nodes);
    const facts = { me: 'node-x', members: failing(first) };
    const { winner, candidates } = run({ ip: vip }, facts);
    assert.equal(winner, second);
    assert.equal(candidates.find(({ node }) => node === first)?.verdict, 'addFailed');
    assert.equal(run({ ip: vip, incumbent: held(first) }, facts).winner, second);
    const other = run({ ip: vip, incumbent: held(first) }, { ...facts, members: failing('') });
    assert.equal(other.winner, first);
  });

  test(`${family}: this node knows of its own failures before its Lease tells the others`, () => {
    const [first = '', second] = rankNodes(vip, nodes);
    const mine = { me: first, myFailing: new Set([vip]) };
    assert.equal(run({ ip: vip }, mine).winner, second);
    // It may try again although the Lease still says otherwise.
    assert.equal(run({ ip: vip }, { me: first, members: failing(first) }).winner, first);
  });
}
