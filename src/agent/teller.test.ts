import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeAddresses } from '../decide/announcement/place-addresses.ts';
import { localGroup, service } from '../decide/announcement/pool.fixture.ts';
import { snapshotOf } from '../decide/announcement/snapshot.fixture.ts';
import { addressKey } from '../model/address.ts';
import { Metrics } from '../runtime/metrics.ts';
import { AgentMetrics } from './agent-metrics.ts';
import { Teller } from './teller.ts';

type TellerSetup = ConstructorParameters<typeof Teller>[0];

const vip = '192.0.2.100';

/** Series of the counter of slots taken over, after the agent has seen each of these slots, on the holder or another Service. */
function countSeries(texts: readonly string[], where: 'web' | 'other' = 'web'): readonly string[] {
  const metrics = new Metrics(() => {});
  const writer = { submit: () => {} } as unknown as TellerSetup['slots'];
  const events = { record: () => {} } as unknown as TellerSetup['events'];
  const agent = new AgentMetrics(metrics);
  const teller = new Teller({ events, slots: writer, statuses: writer, metrics: agent });
  for (const text of texts) {
    const annotations = { 'purelb.io/announcing-IPv4': text };
    const own = { 'purelb.io/announcing-IPv4': `a,eth0,${vip}` };
    const web = service('web', [vip], { annotations: where === 'web' ? annotations : own });
    const other = service('x', ['192.0.2.101'], where === 'web' ? {} : { annotations });
    const snapshot = snapshotOf({ services: [web, other], pools: [localGroup] });
    const wanted = {
      link: 'eth0',
      ip: web.grant.ingress[0] ?? assert.fail(),
      prefixLength: 24,
      validSeconds: 300,
      preferredSeconds: 300,
      noPrefixRoute: true,
      noDad: true,
    };
    const [placed = assert.fail()] = placeAddresses(snapshot).decisions;
    const mine = { ...placed, outcome: { kind: 'local', wanted }, reason: 'electionWon' } as const;
    teller.tell({
      snapshot,
      placing: { decisions: [mine], wanted: [], left: new Set(), wakeAt: Infinity },
      held: new Set([addressKey(wanted)]),
      choice: { state: 'configured', config: undefined, source: undefined, notices: [] } as never,
      failures: new Map(),
      setbacks: new Map(),
      adopted: new Set(),
    });
  }
  return metrics.render().match(/^purelb_lbnodeagent_announce_slot_steal_total\{.*$/gm) ?? [];
}

test('a slot that was taken from a member is counted under its name', () => {
  assert.match(countSeries([`b,eth0,${vip}`]).join(), /from="b",to="a"\} 1/);
});

test('trust: names that are no members grow no series, however many are forged', () => {
  const forged = Array.from({ length: 200 }, (_, index) => `evil-${index},eth0,${vip}`);
  assert.deepEqual(countSeries(forged), [
    'purelb_lbnodeagent_announce_slot_steal_total{from="<unknown>",to="a"} 200',
  ]);
});

test('trust: a slot of an address that another Service has counts for nothing', () => {
  const forged = Array.from({ length: 20 }, (_, index) => `evil-${index},eth0,${vip}`);
  assert.deepEqual(countSeries(forged, 'other'), []);
});
