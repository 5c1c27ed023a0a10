import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../json.ts';
import { compileSchema } from '../schema/compile-schema.ts';
import { escapeName } from './cel-value.ts';
import { evaluateRules } from './evaluate-rules.ts';

/** True when the rule holds for the value, or its complaint. */
function judge(rule: string, value: Json, old?: Json, more = {}): true | string {
  const type = Array.isArray(value) ? 'array' : typeof value === 'object' ? 'object' : typeof value;
  const schema = compileSchema({
    type: type === 'number' ? 'integer' : type,
    'x-kubernetes-preserve-unknown-fields': true,
    'x-kubernetes-validations': [{ rule, ...more }],
  });
  const [cause] = evaluateRules(schema, value, old, 'spec');
  return cause === undefined ? true : `${cause.field}: ${cause.message}`;
}

test('addresses and networks', () => {
  const holds = [
    "isIP('192.0.2.1') && !isIP('192.0.2') && !isIP('::ffff:192.0.2.1') && !isIP('192.0.2.01')",
    "ip('2001:db8::1').family() == 6 && ip('192.0.2.1').family() == 4",
    "isCIDR('192.0.2.5/24') && !isCIDR('192.0.2.0')",
    "cidr('192.0.2.0/24').containsIP('192.0.2.255') && !cidr('192.0.2.0/24').containsIP('192.0.3.0')",
    "cidr('192.0.2.0/24').containsIP(ip('192.0.2.9'))",
    "cidr('192.0.2.0/24').containsCIDR('192.0.2.128/25') && !cidr('192.0.2.0/25').containsCIDR('192.0.2.0/24')",
    "cidr('192.0.2.5/24').prefixLength() == 24 && cidr('192.0.2.5/24').masked() == cidr('192.0.2.0/24')",
    "cidr('192.0.2.5/24').ip() == ip('192.0.2.5') && string(cidr('192.0.2.5/24').masked()) == '192.0.2.0/24'",
    "ip('127.0.0.1').isLoopback() && !ip('192.0.2.1').isLoopback() && ip('192.0.2.1').isGlobalUnicast()",
  ];
  for (const rule of holds) assert.equal(judge(rule, {}), true, rule);
});

test('strings and lists', () => {
  const holds = [
    "'a-b'.split('-').size() == 2 && ' a '.trim() == 'a' && 'aXb'.replace('X', '-') == 'a-b'",
    '[1, 2, 3].sum() == 6 && [3, 1].min() == 1 && [3, 1].max() == 3 && [1, 2].isSorted()',
    "'abc123'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]') == ['1', '2']",
    "['a', 'b'].indexOf('b') == 1 && 'abc'.reverse() == 'cba' && 'abc'.charAt(1) == 'b'",
    "['1', '2'].map(x, int(x)).all(n, n > 0) && [1, 2].exists(n, n == 2)",
  ];
  for (const rule of holds) assert.equal(judge(rule, {}), true, rule);
});

test('whole numbers are integers, also big ones', () => {
  assert.equal(judge('self.a / 2 == 3', { a: 7 }), true);
  assert.equal(judge('self > 9007199254740992', JSON.parse('[1]')[0] * 2 ** 53 + 2), true);
});

test('a single value is shown, an object is not', () => {
  assert.equal(judge("self == 'a'", 'b'), `spec: Invalid value: "b": failed rule: self == 'a'`);
  const message = { message: 'no' };
  assert.equal(judge('has(self.a)', { b: 1 }, undefined, message), 'spec: Invalid value: no');
});

test('a message may be computed, and falls back to the plain one', () => {
  const compute = (messageExpression: string) =>
    judge('false', { a: 'x' }, undefined, { message: 'plain', messageExpression });
  assert.equal(compute("'a is ' + self.a"), 'spec: Invalid value: a is x');
  assert.equal(compute('self.missing'), 'spec: Invalid value: plain');
  assert.equal(compute("''"), 'spec: Invalid value: plain');
});

test('place and reason', () => {
  const more = { fieldPath: '.a', reason: 'FieldValueForbidden', message: 'no' };
  assert.equal(judge('false', { a: 1 }, undefined, more), 'spec.a: Forbidden: no');
});

test('a rule about the past waits for one, unless it can do without', () => {
  assert.equal(judge('self.a == oldSelf.a', { a: 1 }), true);
  assert.match(String(judge('self.a == oldSelf.a', { a: 1 }, { a: 2 })), /^spec: Invalid value/);
  const optional = { optionalOldSelf: true };
  const rule = '!oldSelf.hasValue() || oldSelf.value().a <= self.a';
  assert.equal(judge(rule, { a: 1 }, undefined, optional), true);
  assert.notEqual(judge(rule, { a: 1 }, { a: 2 }, optional), true);
});

test('what is left as it was is not judged again', () => {
  assert.equal(judge('false', { a: 1 }, { a: 1 }), true);
});

test('a rule that fails to run is a refusal, not a crash', () => {
  assert.match(String(judge('self.missing > 1', { a: 1 })), /evaluating rule: self.missing > 1$/);
});

test('awkward names have plain ones', () => {
  assert.equal(escapeName('namespace'), '__namespace__');
  assert.equal(escapeName('x-y/z.a'), 'x__dash__y__slash__z__dot__a');
  const schema = compileSchema({
    type: 'object',
    properties: { namespace: { type: 'string' }, 'a-b': { type: 'string' } },
    'x-kubernetes-validations': [{ rule: 'self.__namespace__ == self.a__dash__b' }],
  });
  assert.deepEqual(evaluateRules(schema, { namespace: 'x', 'a-b': 'x' }, undefined, 'spec'), []);
});
