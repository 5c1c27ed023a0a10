/** Asks a container whether it is well, from its node, again and again. */

import { request } from 'node:http';
import { connect } from 'node:net';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import type { Probe } from './pod-wish.ts';

/** True when the probe found it well. */
export async function ask({ target, timeoutMs }: Probe, ip: string): Promise<boolean> {
  switch (target.kind) {
    case 'http':
      return askHttp(ip, target.port, target.path, timeoutMs);
    case 'tcp':
      return askTcp(ip, target.port, timeoutMs);
    case 'unsupported':
      return false;
    default:
      return target satisfies never;
  }
}

async function askHttp(
  host: string,
  port: number,
  path: string,
  timeoutMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const asked = request({ host, port, path, agent: false, timeout: timeoutMs });
    asked.on('response', (response) => {
      const { statusCode = 0 } = response;
      response.resume();
      resolve(statusCode >= 200 && statusCode < 400);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => resolve(false)).on('close', () => resolve(false));
    asked.end();
  });
}

async function askTcp(host: string, port: number, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const end = (isWell: boolean) => {
      socket.destroy();
      resolve(isWell);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false)).on('error', () => end(false));
  });
}

export interface Watched {
  readonly probe: Probe;
  readonly ip: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called when the thresholds of the probe are passed in either direction. */
  readonly onVerdict: (isWell: boolean) => void;
}

/** Until a container has been well for the first time it is asked this often, however long the period. */
const eagerMs = 100;

/** Asks until the signal is aborted. Nothing is said about one that is not well before it has been for the first time. */
export async function watchProbe({ probe, ip, clock, signal, onVerdict }: Watched): Promise<void> {
  const verdict = new ProbeVerdict(probe);
  await sleep(clock, probe.initialDelayMs, signal).catch(() => {});
  while (!signal.aborted) {
    const hasChanged = verdict.note(await ask(probe, ip));
    if (hasChanged && !signal.aborted) onVerdict(verdict.isWell);
    const waitMs = verdict.hasBeenWell ? probe.periodMs : Math.min(eagerMs, probe.periodMs);
    await sleep(clock, waitMs, signal).catch(() => {});
  }
}

/** Answers → a verdict, once enough of them in a row agree. */
export class ProbeVerdict {
  readonly #probe: Pick<Probe, 'successThreshold' | 'failureThreshold'>;
  #isWell = false;
  #hasBeenWell = false;
  #last: boolean | undefined;
  #inARow = 0;

  constructor(probe: Pick<Probe, 'successThreshold' | 'failureThreshold'>) {
    this.#probe = probe;
  }

  /** Not before it was said to be. */
  get isWell(): boolean {
    return this.#isWell;
  }

  get hasBeenWell(): boolean {
    return this.#hasBeenWell;
  }

  /** True if the verdict is another one now. */
  note(answer: boolean): boolean {
    this.#inARow = answer === this.#last ? this.#inARow + 1 : 1;
    this.#last = answer;
    const { successThreshold, failureThreshold } = this.#probe;
    const isEnough = this.#inARow >= (answer ? successThreshold : failureThreshold);
    if (!isEnough || answer === this.#isWell) return false;
    this.#isWell = answer;
    this.#hasBeenWell ||= answer;
    return true;
  }
}
