/** What happened, as people tell it: `1:02:03.456  node2 loses power`. */

import type { Ip } from '../../src/model/ip.ts';
import type { Simulation } from './simulation.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

export class Story {
  readonly #simulation: Simulation;
  readonly #now: () => number;
  readonly #lines: Line[] = [];
  readonly #logs: Line[] = [];

  /** With what the agents said, if wanted. */
  constructor(simulation: Simulation, now: () => number, isTold: boolean) {
    this.#simulation = simulation;
    this.#now = now;
    if (!isTold) return;
    for (const node of simulation.nodes) {
      node.onLog = (line) => this.#noteLog(node.name, line);
    }
  }

  time(): string {
    return formatTime(this.#now());
  }

  tell(text: string): void {
    this.#lines.push({ at: this.#now(), text });
  }

  tellMove(ip: Ip, holders: readonly string[]): void {
    const who = holders.length === 0 ? 'nobody' : holders.join(' and ');
    const { client } = this.#simulation;
    const isSilent = client.silentSince(ip) !== undefined;
    this.tell(`    ${ip} is on ${who}${isSilent ? ', and does not answer' : ''}`);
  }

  lines(): readonly string[] {
    return [...this.#lines, ...this.#logs]
      .toSorted((left, right) => left.at - right.at)
      .map(({ at, text }) => `${formatTime(at).padStart(14)}  ${text}`);
  }

  #noteLog(node: string, line: string): void {
    const {
      msg,
      time: _time,
      level: _level,
      ...rest
    } = JSON.parse(line) as Record<string, unknown>;
    const words = Object.entries(rest).map(([key, value]) => {
      return `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
    });
    this.#logs.push({ at: this.#now(), text: `        ${node}: ${msg} ${words.join(' ')}` });
  }
}

function formatTime(ms: number): string {
  const seconds = (ms % 60_000) / 1000;
  const minutes = Math.floor(ms / 60_000) % 60;
  const hours = Math.floor(ms / 3_600_000);
  return `${hours}:${String(minutes).padStart(2, '0')}:${seconds.toFixed(3).padStart(6, '0')}`;
}
