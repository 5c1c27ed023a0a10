import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeGuard } from '../linux/fake-guard.ts';
import type { Guard } from '../linux/guard.ts';
import { type GuardRules, noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import { readAgentOffer } from '../model/read-agent-offer.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { GuardKeeper } from './guard-keeper.ts';

const ip = ipOf('192.0.2.100');
const rules: GuardRules = { addresses: [ip], openings: [{ ip, protocol: 'TCP', port: 80 }] };
const source = 'purelb/default';
const choice = { state: 'configured', config: undefined, source, notices: [] } as const;
const offer = readAgentOffer({ metadata: { namespace: 'purelb', name: 'default', uid: 'u' } });

function make() {
  const fake = new FakeGuard();
  const clock = new ManualClock();
  const lines: string[] = [];
  let calls = 0;
  const guard: Guard = {
    apply: (wanted) => {
      calls++;
      return fake.apply(wanted);
    },
    close: () => {},
  };
  const log = Log.create({ level: 'info', sink: (line) => void lines.push(line) });
  const keeper = new GuardKeeper({ guard, clock, log, offers: () => [offer] });
  return { filter: fake.filter, clock, lines, keeper, calls: () => calls };
}

test('what a predecessor left is taken down once, and then nobody is asked again', async () => {
  const { keeper, filter, clock, calls } = make();
  filter.rules = rules;
  await keeper.keep(noGuard);
  assert.deepEqual(filter.rules, noGuard);
  await clock.advance(100_000);
  await keeper.keep(noGuard);
  assert.equal(calls(), 1);
});

test('what stands is looked at again after half a minute, and mended', async () => {
  const { keeper, filter, clock, calls } = make();
  await keeper.keep(rules);
  await keeper.keep({ ...rules });
  assert.equal(calls(), 1);
  filter.isDamaged = true;
  await clock.advance(30_000);
  await keeper.keep(rules);
  assert.deepEqual([calls(), filter.isDamaged], [2, false]);
});

test('a change is carried out at once; what is not known changes nothing', async () => {
  const { keeper, filter } = make();
  await keeper.keep(rules);
  await keeper.keep(undefined);
  assert.deepEqual(filter.rules, rules);
  await keeper.keep({ addresses: [ip], openings: [] });
  assert.deepEqual(filter.rules, { addresses: [ip], openings: [] });
});

test('a failure is logged once, told on the configuration, shown, and tried again', async () => {
  const { keeper, filter, clock, lines } = make();
  filter.isSupported = false;
  await keeper.keep(rules);
  await clock.advance(30_000);
  await keeper.keep(rules);
  assert.equal(lines.length, 1);
  const words = 'this kernel has no nf_tables';
  assert.deepEqual(keeper.state, { addresses: [ip], openings: [`${ip} TCP 80`], failure: words });
  assert.deepEqual(
    keeper.notices(choice, 'a').map(({ reason, message }) => `${reason}: ${message}`),
    [`GuardFailed: spec.local.guard has no effect on node a: ${words}`],
  );
  filter.isSupported = true;
  await clock.advance(30_000);
  await keeper.keep(rules);
  assert.deepEqual([filter.rules, keeper.notices(choice, 'a')], [rules, []]);
});

test('a fault in the guard is a failure of the guard alone', async () => {
  const guard: Guard = { apply: () => Promise.reject(new TypeError('oops')), close: () => {} };
  const log = Log.create({ level: 'error', sink: () => {} });
  const offers = () => [offer];
  const keeper = new GuardKeeper({ guard, clock: new ManualClock(), log, offers });
  await keeper.keep(rules);
  assert.equal(keeper.state.failure, 'TypeError: oops');
  assert.equal(keeper.notices(choice, 'a').length, 1);
  await keeper.keep(noGuard);
  assert.deepEqual(keeper.notices(choice, 'a'), [], 'nobody asked for it');
});

test('where the guard is not asked for, a kernel without nf_tables is no failure', async () => {
  const { keeper, filter } = make();
  filter.isSupported = false;
  await keeper.keep(noGuard);
  assert.deepEqual(keeper.state, { addresses: [], openings: [], failure: undefined });
});
