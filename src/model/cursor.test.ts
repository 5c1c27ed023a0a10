import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Cursor, read } from './cursor.ts';
import { parseDuration } from './duration.ts';

/** What was read, and each note as `path: message`. */
function look<T>(input: unknown, build: (root: Cursor) => T) {
  const reading = read(input, build);
  const written = (notes: readonly { path: string; message: string }[]) =>
    notes.map(({ path, message }) => `${path}: ${message}`);
  return {
    value: 'value' in reading ? reading.value : undefined,
    problems: 'problems' in reading ? written(reading.problems) : [],
    warnings: written(reading.warnings),
  };
}

test('fields of the right type are read, absent and null ones are undefined', () => {
  const input = { text: 'a', flag: false, number: 7, list: ['x', 'y'], nothing: null };
  const { value, problems } = look(input, (root) => {
    const at = root.fields('text', 'flag', 'number', 'list', 'nothing', 'absent');
    return {
      text: at.text.string(),
      flag: at.flag.boolean(),
      number: at.number.integer({ min: 0, max: 10 }),
      list: at.list.items().map((item) => item.string()),
      nothing: [at.nothing.string(), at.nothing.boolean(), at.nothing.isPresent],
      absent: [at.absent.integer({ min: 0, max: 1 }), at.absent.items(), at.absent.isPresent],
      deeper: at.absent.fields('a').a.fields('b').b.string(),
    };
  });
  assert.deepEqual(problems, []);
  assert.deepEqual(value, {
    text: 'a',
    flag: false,
    number: 7,
    list: ['x', 'y'],
    nothing: [undefined, undefined, false],
    absent: [undefined, [], false],
    deeper: undefined,
  });
});

test('every wrong type is named with its place, in the order of reading', () => {
  const input = { text: 1, flag: 'yes', number: '7', half: 1.5, big: 11, list: {}, object: [] };
  const { value, problems } = look(input, (root) => {
    const at = root.fields('text', 'flag', 'number', 'half', 'big', 'list', 'object');
    at.text.string();
    at.flag.boolean();
    at.number.integer({ min: 0, max: 10 });
    at.half.integer({ min: 0, max: 10 });
    at.big.integer({ min: 0, max: 10 });
    at.list.items();
    at.object.fields('a').a.string();
    at.object.entries();
    return 'never seen';
  });
  assert.equal(value, undefined);
  assert.deepEqual(problems, [
    'text: must be text, not 1',
    'flag: must be true or false, not "yes"',
    'number: must be a whole number, not "7"',
    'half: must be a whole number, not 1.5',
    'big: 11 is out of bounds: write 0 to 10',
    'list: must be a list, not an object',
    'object: must be an object, not a list',
  ]);
});

test('a place is written as people write it', () => {
  const input = { spec: { pools: [{}, { range: 1 }] }, annotations: { 'purelb.io/x': 1 } };
  const { problems } = look(input, (root) => {
    const { spec, annotations } = root.fields('spec', 'annotations');
    for (const pool of spec.fields('pools').pools.items()) pool.fields('range').range.string();
    for (const [, annotation] of annotations.entries()) annotation.string();
  });
  assert.deepEqual(problems, [
    'spec.pools[1].range: must be text, not 1',
    'annotations[purelb.io/x]: must be text, not 1',
  ]);
});

test('a word that is close to an allowed one gets it suggested', () => {
  const { problems } = look({ a: 'sticky', b: 'nowhere', c: 'Hash', d: 4 }, (root) => {
    for (const [, cursor] of root.entries()) cursor.oneOf(['Sticky', 'Hash']);
  });
  assert.deepEqual(problems, [
    'a: "sticky" is not one of Sticky, Hash: did you mean Sticky?',
    'b: "nowhere" is not one of Sticky, Hash',
    'd: must be text, not 4',
  ]);
});

test('what is required and missing is named, and a parser adds its own problems', () => {
  const { problems } = look({ wait: 'soon' }, (root) => {
    const { wait, name } = root.fields('wait', 'name');
    wait.parse(parseDuration);
    name.required().string();
  });
  assert.deepEqual(problems, [
    'wait: "soon" is not a duration: write it like 100ms, 30s or 1m30s',
    'name: is missing',
  ]);
});

test('of what is read whole, fields that nobody asked for are warned of', () => {
  const input = { metadata: { uid: 'u' }, spec: { v4Pool: {}, local: { typo: 1 }, other: {} } };
  const { value, warnings } = look(input, (root) => {
    root.fields('metadata').metadata.fields('name');
    const { local, other } = root.fields('spec').spec.whole().fields('v4pool', 'local', 'other');
    local.fields('type');
    return other.isPresent;
  });
  assert.equal(value, true);
  assert.deepEqual(warnings, [
    'spec.v4Pool: is not a field that we know: did you mean v4pool?',
    'spec.local.typo: is not a field that we know: did you mean type?',
  ]);
});

test('a warning alone refuses nothing', () => {
  const reading = read({ a: 1 }, (root) => {
    root.fields('a').a.warn('is odd');
    return 'read';
  });
  assert.deepEqual(reading, { value: 'read', warnings: [{ path: 'a', message: 'is odd' }] });
});

test('what is read apart keeps its problems to itself, what is attempted turns them into warnings', () => {
  const { value, problems, warnings } = look({ list: ['x', 1, 'y'] }, (root) => {
    const items = root.fields('list').list.items();
    return {
      apart: items.map((item) => 'problems' in item.apart((cursor) => cursor.string())),
      attempted: items.flatMap((item) => item.attempt((cursor) => cursor.string()) ?? []),
    };
  });
  assert.deepEqual(value, { apart: [false, true, false], attempted: ['x', 'y'] });
  assert.deepEqual(problems, []);
  assert.deepEqual(warnings, ['list[1]: must be text, not 1']);
});

test('a lenient cursor refuses nothing below it', () => {
  const input = { status: { list: 7, word: 'x' }, spec: 8 };
  const { value, warnings } = look(input, (root) => {
    const { status, spec } = root.lenient().fields('status', 'spec');
    const { list, word } = status.fields('list', 'word');
    return [list.items(), word.oneOf(['y']), spec.fields('a').a.required().string()];
  });
  assert.deepEqual(value, [[], undefined, undefined]);
  assert.deepEqual(warnings, [
    'status.list: must be a list, not 7',
    'status.word: "x" is not one of y: did you mean y?',
    'spec: must be an object, not 8',
    'spec.a: is missing',
  ]);
});

test('names of the prototype are fields like any other, and absent', () => {
  const { value } = look({}, (root) => {
    const at = root.fields('constructor', '__proto__', 'toString', 'hasOwnProperty');
    return Object.values(at).map((cursor) => cursor.isPresent);
  });
  assert.deepEqual(value, [false, false, false, false]);
  const input: unknown = JSON.parse('{"__proto__": {"polluted": "yes"}, "constructor": "c"}');
  const hostile = look(input, (root) => root.entries().map(([name]) => name));
  assert.deepEqual(hostile.value, ['__proto__', 'constructor']);
  assert.equal(Object.hasOwn(Object.prototype, 'polluted'), false);
});

test('notes stay bounded however much is wrong, and texts in them short', () => {
  const reading = read(Array(100_000).fill('x'.repeat(1000)), (root) => {
    for (const item of root.items()) item.boolean();
  });
  assert.ok('problems' in reading);
  assert.equal(reading.problems.length, 100);
  assert.ok(reading.problems.every(({ message }) => message.length < 100));
});

test('a hundred thousand fields that nobody knows are passed over quickly', () => {
  const input = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, 1]));
  const { warnings } = read(input, (root) => root.whole().fields('a', 'b', 'c'));
  assert.equal(warnings.length, 100);
});

test('anything at all can be asked for anything', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (input) => {
      const reading = read(input, (root) => {
        const { a } = root.whole().fields('a');
        for (const cursor of [root, a, ...root.items(), ...a.items()]) {
          cursor.string();
          cursor.boolean();
          cursor.integer({ min: 0, max: 1 });
          cursor.oneOf(['x']);
          cursor.parse(parseDuration);
          cursor.entries();
          cursor.required();
        }
        return 'value';
      });
      assert.ok('problems' in reading || reading.value === 'value');
    }),
  );
});
