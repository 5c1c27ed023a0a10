import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Ancillary,
  assemble,
  indexByHeaderLength,
  jumpIfAnyBit,
  jumpIfEqual,
  keep,
  label,
  load,
  loadIndexed,
} from './bpf.ts';

/** One line for each instruction, as `tcpdump -ddd` prints them. */
function listing(program: Uint8Array): readonly string[] {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength);
  return Array.from({ length: program.length / 8 }, (_, index) =>
    [
      view.getUint16(index * 8, true),
      view.getUint8(index * 8 + 2),
      view.getUint8(index * 8 + 3),
      view.getUint32(index * 8 + 4, true),
    ].join(' '),
  );
}

test("assembles to what `tcpdump -ddd 'icmp[0]=0 and icmp[4:2]=7'` prints", () => {
  const program = assemble([
    load('half', 12),
    jumpIfEqual(0x800, { no: 'drop' }),
    load('byte', 23),
    jumpIfEqual(1, { no: 'drop' }),
    load('half', 20),
    jumpIfAnyBit(0x1fff, { yes: 'drop' }),
    indexByHeaderLength(14),
    loadIndexed('byte', 14),
    jumpIfEqual(0, { no: 'drop' }),
    loadIndexed('half', 18),
    jumpIfEqual(7, { no: 'drop' }),
    keep(262144),
    label('drop'),
    keep(0),
  ]);
  assert.deepEqual(listing(program), [
    '40 0 0 12',
    '21 0 10 2048',
    '48 0 0 23',
    '21 0 8 1',
    '40 0 0 20',
    '69 6 0 8191',
    '177 0 0 14',
    '80 0 0 14',
    '21 0 3 0',
    '72 0 0 18',
    '21 0 1 7',
    '6 0 0 262144',
    '6 0 0 0',
  ]);
});

test('what the kernel knows beside the bytes is loaded from the offsets of linux/filter.h', () => {
  const { packetType, vlanTag, isVlanTagPresent } = Ancillary;
  assert.deepEqual(
    [packetType, vlanTag, isVlanTagPresent].map((offset) => (offset | 0) + 0x1000),
    [4, 44, 48],
  );
  assert.deepEqual(listing(assemble([load('word', packetType)])), ['32 0 0 4294963204']);
});

test('a jump reaches 0 to 255 instructions ahead', () => {
  const jumpOver = (count: number) => [
    jumpIfEqual(1, { yes: 'there' }),
    ...Array.from({ length: count }, () => keep(0)),
    label('there'),
    keep(1),
  ];
  assert.equal(listing(assemble(jumpOver(0)))[0], '21 0 0 1');
  assert.equal(listing(assemble(jumpOver(255)))[0], '21 255 0 1');
  assert.throws(() => assemble(jumpOver(256)), /"there" is 256 instructions away/);
});

test('a jump to nowhere or backwards is a bug of the caller', () => {
  assert.throws(() => assemble([jumpIfEqual(1, { yes: 'nowhere' })]), /no label .*"nowhere"/);
  assert.throws(
    () => assemble([label('back'), keep(0), jumpIfEqual(1, { yes: 'back' })]),
    /"back" is -2 instructions away/,
  );
});
