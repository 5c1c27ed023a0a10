import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DescriptorWriter, descriptorSink } from './log-sink.ts';

type Step = number | 'EAGAIN' | 'EPIPE' | 'ENOSPC';

/** A descriptor that takes so many bytes, or fails, per call; then everything. */
class ScriptedWriter implements DescriptorWriter {
  readonly #script: Step[];
  text = '';
  waits = 0;

  constructor(...script: Step[]) {
    this.#script = script;
  }

  write(fd: number, bytes: Uint8Array): number {
    assert.equal(fd, 7);
    const step = this.#script.shift() ?? bytes.length;
    if (typeof step === 'string') throw Object.assign(new Error(step), { code: step });
    const taken = bytes.subarray(0, step);
    this.text += Buffer.from(taken).toString();
    return taken.length;
  }

  wait(): void {
    this.waits++;
  }
}

function write(writer: ScriptedWriter, ...lines: string[]): string {
  const sink = descriptorSink(7, writer);
  for (const line of lines) sink(line);
  return writer.text;
}

test('each line ends with a line end', () => {
  assert.equal(write(new ScriptedWriter(), 'one', 'zwei ü'), 'one\nzwei ü\n');
});

test('what is written in part is continued, a full pipe waited for', () => {
  const writer = new ScriptedWriter(2, 'EAGAIN', 'EAGAIN', 1);
  assert.equal(write(writer, 'first', 'second'), 'first\nsecond\n');
  assert.equal(writer.waits, 2);
});

test('a reader that is gone, or a full disk, costs the line and nothing else', () => {
  assert.equal(write(new ScriptedWriter('EPIPE', 'EPIPE'), 'one', 'two', 'three'), 'three\n');
  assert.equal(write(new ScriptedWriter('ENOSPC'), 'one', 'two'), 'two\n');
});

test('a reader that is stuck costs the line after a while', () => {
  const stuck = Array.from({ length: 51 }, () => 'EAGAIN' as const);
  const writer = new ScriptedWriter(...stuck);
  assert.equal(write(writer, 'one', 'two'), 'two\n');
  assert.equal(writer.waits, 50);
});

test('after a line that was cut short the next starts on its own', () => {
  assert.equal(
    write(new ScriptedWriter(3, 'EPIPE', 'EPIPE'), 'first', 'lost', 'third', 'fourth'),
    'fir\nthird\nfourth\n',
  );
});
