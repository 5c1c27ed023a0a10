import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import { probeFrame } from '../../src/wire/probe.ts';
import { answerTo } from './answer-for-others.ts';

const asker = macOf('02:00:5e:10:00:01');
const named = macOf('02:00:5e:10:00:09');
const ipv4 = ipOf('192.0.2.100');
const ipv6 = ipOf('2001:db8:1::100');
const macOfAll = () => named;

test('a probe for an IPv4 address is answered to its sender', () => {
  const event = { ...probeFrame({ ip: ipv4, mac: asker }), at: 0 };
  assert.deepEqual(answerTo(event, { macOf: macOfAll }), {
    kind: 'arp',
    from: named,
    to: asker,
    operation: 'reply',
    sender: { ip: ipv4, mac: named },
    target: { ip: ipOf('0.0.0.0'), mac: asker },
  });
});

test('a probe for an IPv6 address is answered to everyone, a question to who asked', () => {
  const probe = { ...probeFrame({ ip: ipv6, mac: asker }), at: 0 };
  const source = ipOf('2001:db8:1::11');
  const question = { ...probeFrame({ ip: ipv6, mac: asker, source }), at: 0 };
  const told = [probe, question].map((event) => answerTo(event, { macOf: macOfAll }));
  const to = told.map((frame) =>
    frame?.kind === 'neighbour-advertisement'
      ? [frame.to, frame.destination, frame.isSolicited, frame.targetMac]
      : frame,
  );
  assert.deepEqual(to, [
    [macOf('33:33:00:00:00:01'), ipOf('ff02::1'), false, named],
    [asker, source, true, named],
  ]);
});

test('what it knows nothing of, and who it does not answer, is left to others', () => {
  const event = { ...probeFrame({ ip: ipv4, mac: asker }), at: 0 };
  assert.equal(answerTo(event, { macOf: () => undefined }), undefined);
  assert.equal(answerTo(event, { macOf: macOfAll, except: [asker] }), undefined);
  assert.equal(answerTo({ kind: 'link-down', at: 0 }, { macOf: macOfAll }), undefined);
});
