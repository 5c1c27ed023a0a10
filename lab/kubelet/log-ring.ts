/** What a container has said lately, for those who ask afterwards and those who follow. */

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
}

/** As the API's `log` subresource has them. */
export interface LogOptions {
  readonly tailLines?: number;
  readonly sinceMs?: number;
  readonly timestamps?: boolean;
}

const mostLines = 5000;

export class LogRing {
  readonly #most: number;
  readonly #lines: LogLine[] = [];
  readonly #followers = new Set<LogFollower>();
  #isClosed = false;

  constructor(most = mostLines) {
    this.#most = most;
  }

  append(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#most) this.#lines.shift();
    for (const { onLine, options } of this.#followers) onLine(renderLine(line, options.timestamps));
  }

  /** Oldest first. */
  read({ tailLines, sinceMs = 0, timestamps }: LogOptions = {}): readonly string[] {
    const recent = this.#lines.filter(({ at }) => at >= sinceMs);
    const wanted =
      tailLines === undefined
        ? recent
        : recent.slice(recent.length - Math.min(tailLines, recent.length));
    return wanted.map((line) => renderLine(line, timestamps));
  }

  /** Calls back with every line from now on, and when there will be no more. */
  follow(follower: LogFollower): () => void {
    if (this.#isClosed) follower.onEnd();
    else this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  close(): void {
    this.#isClosed = true;
    for (const { onEnd } of this.#followers) onEnd();
    this.#followers.clear();
  }
}

export interface LogFollower {
  readonly options: LogOptions;
  readonly onLine: (text: string) => void;
  readonly onEnd: () => void;
}

function renderLine({ at, text }: LogLine, timestamps: boolean | undefined): string {
  return timestamps === true ? `${new Date(at).toISOString()} ${text}` : text;
}
