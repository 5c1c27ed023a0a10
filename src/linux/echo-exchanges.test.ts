import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { macOf } from '../model/mac.ts';
import { decodeFrame } from '../wire/decode-frame.ts';
import { encodeFrame } from '../wire/encode-frame.ts';
import { EchoExchanges } from './echo-exchanges.ts';

const [me, holder] = [macOf('02:00:5e:10:00:01'), macOf('02:00:5e:10:00:02')];
const source = ipOf('192.0.2.1');

function asked(number: number) {
  return { ip: ipOf(`192.0.2.${number}`), to: holder, mac: me, source };
}

function reply(number: number, sequence: number): Uint8Array {
  const { ip } = asked(number);
  const path = { from: holder, to: me, source: ip, destination: source };
  return encodeFrame({ kind: 'echo-reply', ...path, identifier: 7, sequence });
}

test('replies to several who were asked are told apart, in any order', () => {
  const exchanges = new EchoExchanges(7);
  for (const number of [2, 3, 4]) exchanges.with(asked(number), 65_530 + number);
  for (const number of [4, 2, 3]) {
    const frame = reply(number, 65_530 + number);
    assert.deepEqual(exchanges.recognise(frame), decodeFrame(frame));
  }
});

test('what nobody asked, or asked of another, is left to others', () => {
  const exchanges = new EchoExchanges(7);
  assert.equal(exchanges.recognise(reply(2, 1)), undefined);
  assert.equal(exchanges.recognise(new Uint8Array(0)), undefined);
  exchanges.with(asked(2), 1);
  assert.equal(exchanges.recognise(reply(3, 1)), undefined);
  exchanges.with(asked(3), 257);
  assert.equal(exchanges.recognise(reply(2, 1)), undefined);
});

test('who is asked again is asked by the same frame but for its sequence', () => {
  const exchanges = new EchoExchanges(7);
  const first = exchanges.with(asked(2), 1);
  assert.equal(exchanges.with(asked(2), 2), first);
  assert.notEqual(exchanges.with({ ...asked(2), mac: holder }, 3), first);
  assert.notEqual(exchanges.with(asked(3), 4), first);
});

test('those who were asked once are not remembered for ever', () => {
  const exchanges = new EchoExchanges(7);
  const first = exchanges.with(asked(2), 1);
  for (let number = 0; number < 5_000; number += 1) {
    const ip = ipOf(`198.51.100.${number % 256}`);
    const mac = macOf(
      `02:00:00:00:00:${Math.floor(number / 256)
        .toString(16)
        .padStart(2, '0')}`,
    );
    exchanges.with({ ...asked(2), ip, mac }, number);
  }
  assert.notEqual(exchanges.with(asked(2), 1), first);
});
