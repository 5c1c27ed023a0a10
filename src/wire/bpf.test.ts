import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assemble, jumpIfAnyBit, jumpIfEqual, keep, label, load } from './bpf.ts';
import { bytesOf } from './captured-frames.fixture.ts';

test('assembles as `tcpdump -ddd arp` prints it', () => {
  // (000) ldh [12]  (001) jeq #0x806 jt 2 jf 3  (002) ret #262144  (003) ret #0
  assert.deepEqual(
    assemble([
      load('half', 12),
      jumpIfEqual(0x806, { no: 'drop' }),
      keep(262144),
      label('drop'),
      keep(0),
    ]),
    bytesOf('2800 0000 0c000000  1500 0001 06080000  0600 0000 00000400  0600 0000 00000000'),
  );
});

test('a jump counts from the next instruction', () => {
  const program = assemble([
    jumpIfAnyBit(1, { yes: 'far', no: 'near' }),
    keep(1),
    label('near'),
    keep(2),
    label('far'),
    keep(3),
  ]);
  assert.deepEqual(program.slice(0, 8), bytesOf('4500 0201 01000000'));
});

test('a jump to nowhere, backwards or too far is a bug of the caller', () => {
  assert.throws(() => assemble([jumpIfEqual(1, { yes: 'nowhere' })]), /no label .*"nowhere"/);
  assert.throws(
    () => assemble([label('back'), keep(0), jumpIfEqual(1, { yes: 'back' })]),
    /"back" is -2 instructions away/,
  );
  const gap = Array.from({ length: 256 }, () => keep(0));
  assert.throws(
    () => assemble([jumpIfEqual(1, { yes: 'far' }), ...gap, label('far'), keep(1)]),
    /"far" is 256 instructions away/,
  );
});
