import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import { addressKey } from '../model/address.ts';
import { ipOf } from '../model/ip.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AgentMetrics } from './agent-metrics.ts';

const ip = ipOf('192.0.2.100');
const wanted = {
  link: 'eth0',
  ip,
  prefixLength: 24,
  validSeconds: 300,
  preferredSeconds: 300,
  noPrefixRoute: true,
  noDad: true,
};

function elected(winner: string | undefined, isFallback = false): AddressDecision {
  const isMine = winner === 'a';
  return {
    ip,
    services: ['shop/web'],
    mode: 'local',
    outcome: isMine ? { kind: 'local', wanted } : { kind: 'absent' },
    reason: isMine ? 'electionWon' : 'lostElection',
    election: { winner, because: 'hash', candidates: [], isFallback },
  };
}

/** What is counted of one address, pass after pass, as `name value`, without what is 0. */
function counted(...passes: readonly (readonly AddressDecision[])[]): readonly string[] {
  const metrics = new Metrics(() => {});
  const agent = new AgentMetrics(metrics);
  for (const decisions of passes) {
    const held = decisions.some(({ outcome }) => 'wanted' in outcome) ? [addressKey(wanted)] : [];
    agent.noteDecisions(decisions, new Set(held), 'a');
  }
  return metrics
    .render()
    .split('\n')
    .filter((line) =>
      /^purelb_(election_(winner|affinity)|lbnodeagent_(election|announced))/.test(line),
    )
    .map((line) => line.replace(/^purelb_(election|lbnodeagent)_/, ''))
    .filter((line) => !line.endsWith(' 0'))
    .sort();
}

const announced = 'announced{service="shop/web",node="a",ip="192.0.2.100"} 1';

test('spec 19 #19: elections are counted when they change, not each time that they are held', () => {
  const mine = [elected('a')];
  const others = [elected('b')];
  assert.deepEqual(counted(mine, mine, mine), [announced, 'election_wins_total 1']);
  assert.deepEqual(counted(others, others), ['election_losses_total 1']);
  assert.deepEqual(counted(mine, others, others, mine), [
    announced,
    'election_losses_total 1',
    'election_wins_total 2',
    'winner_changes_total{service="192.0.2.100"} 2',
  ]);
});

test('an address that nobody may hold is neither won nor lost, and one that is gone is forgotten', () => {
  assert.deepEqual(counted([elected(undefined)]), []);
  assert.deepEqual(counted([elected('a')], []), ['election_wins_total 1']);
});

test('affinity that could not be followed is counted once', () => {
  const fallback = [elected('b', true)];
  assert.deepEqual(counted(fallback, fallback), [
    'affinity_fallback_total{service="192.0.2.100"} 1',
    'election_losses_total 1',
  ]);
});

test('those that are watched are counted by how they are, all of them each time', () => {
  const metrics = new Metrics(() => {});
  const agent = new AgentMetrics(metrics);
  const watched = () =>
    metrics
      .render()
      .split('\n')
      .filter((line) => line.startsWith('purelb_lbnodeagent_watched_holders{'));
  const name = (state: string) => `purelb_lbnodeagent_watched_holders{state="${state}"}`;
  const states = ['watching', 'confirming', 'silent', 'unwatchable', 'watching'];
  agent.noteWatched(states.map((state) => ({ state })));
  assert.deepEqual(watched(), [
    `${name('silent')} 1`,
    `${name('unwatchable')} 1`,
    `${name('watching')} 3`,
  ]);
  agent.noteWatched([]);
  assert.deepEqual(watched(), [
    `${name('silent')} 0`,
    `${name('unwatchable')} 0`,
    `${name('watching')} 0`,
  ]);
});

test('trust: series of addresses that are gone are dropped, however many come and go', () => {
  const metrics = new Metrics(() => {});
  const agent = new AgentMetrics(metrics);
  for (let last = 0; last < 100; last += 1) {
    const at = ipOf(`192.0.2.${last}`);
    for (const winner of ['b', 'c']) {
      agent.noteDecisions([{ ...elected(winner, true), ip: at }], new Set(), 'a');
    }
  }
  const series = metrics.render().match(/^purelb_election_\w+\{service=.*$/gm) ?? [];
  assert.equal(series.length, 2);
});
