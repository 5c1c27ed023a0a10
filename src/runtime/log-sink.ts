import { writeSync } from 'node:fs';

/** Takes one line without its line end. Must not throw: a log that fails never stops the program. */
export type LogSink = (line: string) => void;

/** How a line reaches a descriptor; replaced only to test the sink. */
export interface DescriptorWriter {
  /** Writes some bytes and says how many; throws with a `code` as `fs.writeSync` does. */
  write(fd: number, bytes: Uint8Array): number;
  /** Blocks the thread. */
  wait(ms: number): void;
}

const systemWriter: DescriptorWriter = {
  write: (fd, bytes) => writeSync(fd, bytes),
  wait: (ms) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  },
};

/** A reader this far behind loses lines rather than stopping the program. */
const longestWaitMs = 50;

/**
 * Writes lines straight to a descriptor, complete before it returns, so that the last words before an exit are not
 * lost. A line that cannot be written (reader gone, disk full, pipe full for too long) is dropped.
 */
export function descriptorSink(fd: number, writer: DescriptorWriter = systemWriter): LogSink {
  let isMidLine = false;
  return (line) => {
    // What follows a line that was cut short starts on a line of its own.
    const bytes = new TextEncoder().encode(`${isMidLine ? '\n' : ''}${line}\n`);
    const written = writeAll(fd, bytes, writer);
    if (written > 0) isMidLine = written < bytes.length;
  };
}

export const stdoutSink: LogSink = descriptorSink(1);

function writeAll(fd: number, bytes: Uint8Array, writer: DescriptorWriter): number {
  let written = 0;
  let waits = 0;
  while (written < bytes.length) {
    try {
      written += writer.write(fd, bytes.subarray(written));
    } catch (error) {
      const isFull = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
      if (!isFull || waits++ >= longestWaitMs) return written;
      writer.wait(1);
    }
  }
  return written;
}
