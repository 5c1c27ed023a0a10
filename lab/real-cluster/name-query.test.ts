import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ipOf } from '../../src/model/ip.ts';
import { answerNameQuery, readNameQuery } from './name-query.ts';

const question = (type: string) => `03777777026e73${'00'}${type}0001`;
const packet = (type: string) => Buffer.from(`123401000001000000000000${question(type)}`, 'hex');
const ips = [ipOf('10.96.0.7'), ipOf('2001:db8::7')];

test('a question for addresses is read, and answered with those of its family', () => {
  const query = readNameQuery(packet('0001')) ?? assert.fail();
  assert.deepEqual([query.id, query.name, query.family], [0x1234, 'www.ns', 'ipv4']);
  const record = 'c00c000100010000000100040a600007';
  const header = '123484800001000100000000';
  assert.equal(answerNameQuery(query, ips).toString('hex'), header + question('0001') + record);
  const six = readNameQuery(packet('001c')) ?? assert.fail();
  assert.match(answerNameQuery(six, ips).toString('hex'), /^123484800001000100000000.*0{10}7$/);
});

test('a name without addresses of that kind is there, and one that nobody has is not', () => {
  const mail = readNameQuery(packet('000f')) ?? assert.fail();
  assert.equal(mail.family, undefined);
  assert.equal(answerNameQuery(mail, ips).toString('hex', 0, 12), '123484800001000000000000');
  assert.equal(answerNameQuery(mail, undefined).toString('hex', 0, 12), '123484830001000000000000');
});

test('packets that end early or ask nothing are dropped', () => {
  const whole = packet('0001');
  for (let length = 0; length < whole.length; length++)
    assert.equal(readNameQuery(whole.subarray(0, length)), undefined, `${length}`);
  const response = Buffer.from(whole);
  response.writeUInt16BE(0, 4);
  assert.equal(readNameQuery(response), undefined);
});
