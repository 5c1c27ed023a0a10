import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offerOf } from '../decide/advertisement/advertisement.fixture.ts';
import { chooseBgpConfig } from '../decide/advertisement/choose-bgp-config.ts';
import { recordOf } from '../decide/advertisement/record.fixture.ts';
import { refusal } from '../kube/api-error.ts';
import type { Cluster } from '../kube/cluster.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { ConfigurationStatusWriter } from './configuration-status-writer.ts';

const named = (name: string) => {
  const offer = offerOf({ global: { asn: 64_500 } });
  return { ...offer, identity: { ...offer.identity, name, uid: `uid-${name}` } };
};
const record = recordOf({ choice: chooseBgpConfig([named('a'), named('b'), named('c')]) });

/** Which statuses are asked for, and what is logged, where that of `a` is answered with this status. */
async function write(status: number) {
  const clock = new ManualClock();
  const asked: string[] = [];
  const lines: string[] = [];
  const cluster = {
    list: async function* () {
      yield { items: [] };
    },
    patch: async (_resource: unknown, { name }: { readonly name: string }) => {
      asked.push(name);
      if (name === 'a') {
        throw refusal('patch bgpconfigurations/status a', status, {});
      }
      return {};
    },
  } as unknown as Cluster;
  const log = Log.create({ level: 'info', sink: (line) => void lines.push(line) });
  new ConfigurationStatusWriter({ cluster, clock, log }, () => {}).tell(record, []);
  await clock.advance(1);
  return { asked, lines };
}

test('a BGPConfiguration that is gone keeps none of the others from being told, and is not spoken of', async () => {
  assert.deepEqual(await write(404), { asked: ['a', 'b', 'c'], lines: [] });
});

test('one whose status cannot be written is named, and the others are told all the same', async () => {
  const { asked, lines } = await write(403);
  assert.deepEqual(asked, ['a', 'b', 'c']);
  assert.equal(lines.length, 1);
  assert.match(lines.join(), /"configuration":"a"/);
});
