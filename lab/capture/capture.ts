import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Nic } from '../network/host.ts';
import type { Segment } from '../network/segment.ts';
import { HostProcess } from '../process/host-process.ts';
import { run } from '../process/run.ts';
import { type CapturedFrame, decodePcap } from './pcap.ts';

export interface CaptureOptions {
  /** pcap-filter expression such as `arp or icmp6`; everything by default. */
  readonly filter?: string;
  /** Ends by itself after so many frames. */
  readonly mostFrames?: number;
  /** Keeps the pcap file here. */
  readonly file?: string;
}

/** A link by its name, in a namespace that was made without the lab. */
export interface LinkThere {
  readonly namespace: string;
  readonly link: { readonly name: string };
}

// Offloading makes frames of up to 64 KiB between namespaces; of these the beginning is enough.
const longestFrame = 2048;

/**
 * Captures with tcpdump on a host's NIC (what arrived and what was sent) or on a segment (what hosts sent, also
 * what a fault drops on its way out). Resolves once it really captures.
 */
export async function capture(
  on: Nic | Segment | LinkThere,
  { filter, mostFrames = 100_000, file }: CaptureOptions = {},
): Promise<Capture> {
  const folder = mkdtempSync(join(tmpdir(), 'lab-capture-'));
  const path = file ?? join(folder, 'capture.pcap');
  const [namespace, link] = placeOf(on);
  // Root stays root: the file is ours. Every frame is handed over and written at once.
  const options = ['-Z', 'root', '--immediate-mode', '-U', '-n', '-c', String(mostFrames)];
  // Room for thousands of frames, where the defaults have room for eight.
  options.push('--snapshot-length', String(longestFrame), '--buffer-size', '16384');
  const argv = ['tcpdump', ...options, '-i', link, '-w', path, ...(filter ? [filter] : [])];
  try {
    const tcpdump = await HostProcess.start(['ip', 'netns', 'exec', namespace], argv, {
      ready: /listening on/,
    });
    return new Capture(tcpdump, path, folder);
  } catch (error) {
    rmSync(folder, { recursive: true });
    throw error;
  }
}

function placeOf(on: Nic | Segment | LinkThere): readonly [namespace: string, link: string] {
  if ('bridge' in on) return [on.namespace, on.bridge];
  return 'host' in on ? [on.host.namespace, on.name] : [on.namespace, on.link.name];
}

export class Capture implements AsyncDisposable {
  readonly file: string;
  readonly #tcpdump: HostProcess;
  readonly #folder: string;

  constructor(tcpdump: HostProcess, file: string, folder: string) {
    this.#tcpdump = tcpdump;
    this.file = file;
    this.#folder = folder;
  }

  /** What was captured so far, oldest first. */
  frames(): readonly CapturedFrame[] {
    return decodePcap(readFileSync(this.file));
  }

  count(isWanted: (frame: CapturedFrame) => boolean = () => true): number {
    return this.frames().filter(isWanted).length;
  }

  /** What was captured so far in tcpdump's own words, one line for each frame, link-layer header included. */
  async text(): Promise<readonly string[]> {
    const { stdout } = await run(['tcpdump', '-n', '-e', '-tt', '-r', this.file]);
    return stdout.split('\n').filter((line) => line !== '');
  }

  /** The same without times, and with the verdict on each checksum. */
  async checkedText(): Promise<readonly string[]> {
    const { stdout } = await run(['tcpdump', '-n', '-e', '-t', '-vv', '-r', this.file]);
    return stdout.replace(/\n\s+/g, ' ').trim().split('\n');
  }

  /** Lets the last frames in, ends the capture and returns it. Throws if the kernel had to leave frames out. */
  async stop(): Promise<readonly CapturedFrame[]> {
    await this.#settle();
    await this.#tcpdump.stop();
    const dropped = this.#tcpdump.lines.find(({ text }) => /^[1-9]\d* packets? dropped/.test(text));
    if (dropped !== undefined) throw new Error(`the capture is incomplete: ${dropped.text}`);
    return this.frames();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tcpdump.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** tcpdump drops what it has not read yet when it is told to end. */
  async #settle(): Promise<void> {
    let size = -1;
    for (let looks = 0; looks < 10 && size !== statSync(this.file).size; looks++) {
      size = statSync(this.file).size;
      await sleep(30);
    }
  }
}
