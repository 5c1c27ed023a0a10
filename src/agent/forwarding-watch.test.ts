import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { ForwardingAnswer } from '../linux/forwarding.ts';
import { formatOpening, type Opening } from '../model/guard.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { ForwardingWatch } from './forwarding-watch.ts';

type Decided = Pick<AddressDecision, 'ip' | 'outcome' | 'reason' | 'forwards'>;

for (const text of ['192.0.2.100', '2001:db8::100']) {
  const ip = ipOf(text);
  const forwards: readonly Opening[] = [{ ip, protocol: 'TCP', port: 80 }];
  const none = { kind: 'absent' } as const;
  const asking: Decided = { ip, outcome: none, reason: 'askingTheWire', forwards };
  const waiting: Decided = { ip, outcome: none, reason: 'awaitingForwarding', forwards };
  const wanted = {
    link: 'eth0',
    ip,
    prefixLength: 24,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: false,
    noDad: true,
  };
  const taken: Decided = { ip, outcome: { kind: 'local', wanted }, reason: 'electionWon' };

  const make = (first: ForwardingAnswer) => {
    const clock = new ManualClock();
    const state = { answer: first, looks: [] as string[], news: 0, lines: [] as string[] };
    const counted: string[] = [];
    const watch = new ForwardingWatch({
      forwarding: {
        look: async (questions) =>
          questions.map(({ openings }) => {
            state.looks.push(openings.map(formatOpening).join());
            return state.answer;
          }),
        close: () => {},
      },
      clock,
      log: Log.create({ level: 'info', sink: (line) => void state.lines.push(line) }),
      metrics: {
        countForwarding: (outcome, seconds) => void counted.push(`${outcome} ${seconds}`),
      },
      onNews: () => void state.news++,
    });
    const sight = (of: Ip = ip) => watch.view()?.get(of);
    return { clock, state, watch, counted, sight };
  };

  test(`${text}: rules that stand before the wire has answered cost nothing and wake nobody`, async () => {
    const { clock, state, watch, counted, sight } = make('standing');
    watch.attend([asking]);
    const since = clock.monotonic();
    assert.deepEqual(sight(), { since, answer: undefined });
    await clock.advance(20);
    assert.deepEqual(sight(), { since, answer: 'standing' });
    watch.attend([taken]);
    assert.deepEqual([state.looks, state.news], [[`${text} TCP 80`], 0]);
    assert.deepEqual([counted, sight()], [['standing 0'], undefined]);
  });

  test(`${text}: an address that waits is told the moment its rules stand, and looked for till then`, async () => {
    const { clock, state, watch, counted, sight } = make('missing');
    watch.attend([waiting]);
    await clock.advance(95);
    assert.equal(state.news, 0);
    assert.ok(state.looks.length >= 8 && state.looks.length <= 11, `${state.looks.length}`);
    state.answer = 'standing';
    await clock.advance(10);
    assert.deepEqual([state.news, sight()?.answer], [1, 'standing']);
    watch.attend([taken]);
    const [text = ''] = counted;
    assert.match(text, /^waited 0\.1/);
    const looked = state.looks.length;
    await clock.advance(1000);
    assert.equal(state.looks.length, looked);
  });

  test(`${text}: an address that was announced without its rules is counted and told`, async () => {
    const { clock, watch, counted, state } = make('missing');
    watch.attend([waiting]);
    await clock.advance(1000);
    watch.attend([taken]);
    assert.deepEqual(counted, ['timeout 1']);
    assert.match(state.lines.join(), /kube-proxy does not forward yet/);
  });

  test(`${text}: a node without readable rules is told at once, and counted as such`, async () => {
    const { clock, watch, counted, state } = make('unreadable');
    watch.attend([waiting]);
    await clock.advance(1);
    assert.equal(state.news, 1);
    watch.attend([taken]);
    assert.match(counted.join(), /^unreadable 0(\.\d+)?$/);
  });

  test(`${text}: an address that is given up while it waits is neither looked for nor counted`, async () => {
    const { clock, watch, counted, state, sight } = make('missing');
    watch.attend([waiting]);
    await clock.advance(50);
    watch.attend([]);
    const looked = state.looks.length;
    await clock.advance(100);
    assert.deepEqual([state.looks.length, counted, sight()], [looked, [], undefined]);
  });
}

test('without a way to look there is nothing to wait for', () => {
  const watch = new ForwardingWatch({
    clock: new ManualClock(),
    log: Log.create({ level: 'info', sink: () => {} }),
    metrics: { countForwarding: () => {} },
    onNews: () => {},
  });
  assert.equal(watch.view(), undefined);
});
