import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LivePeer } from './live-segment.fixture.ts';

export interface RunningCapture {
  /** Every frame as one line in tcpdump's own words. */
  stop(): Promise<readonly string[]>;
}

/** Captures what arrives at a peer. */
export async function captureOn(peer: LivePeer, filter: string): Promise<RunningCapture> {
  const folder = mkdtempSync(join(tmpdir(), 'neighbours-'));
  const file = join(folder, 'frames.pcap');
  // Without a short snapshot length the ring buffer has room for few frames.
  const room = ['-s', '128', '-B', '8192'];
  const options = ['-i', 'eth0', '-n', '-U', ...room, '--immediate-mode', '-Z', 'root', '-w', file];
  const argv = ['netns', 'exec', peer.namespace, 'tcpdump', ...options, filter];
  const tcpdump = spawn('ip', argv, { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const chunk of tcpdump.stderr) if (String(chunk).includes('listening on')) break;
  return {
    stop: async () => {
      await sleep(300);
      tcpdump.kill('SIGINT');
      await once(tcpdump, 'exit');
      const lines = readCapture(file);
      rmSync(folder, { recursive: true });
      return lines;
    },
  };
}

function readCapture(file: string): readonly string[] {
  const argv = ['-r', file, '-n', '-e', '-t', '-vv'];
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
  const text = execFileSync('tcpdump', argv, { encoding: 'utf8', stdio, maxBuffer: 64 << 20 });
  return text.replace(/\n\s+/g, ' ').trim().split('\n');
}
