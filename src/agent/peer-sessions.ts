import type { ReplayWindow } from '../decide/failover/replay-window.ts';

/** A member's agent has a new one with each start. */
const mostEach = 8;

/** What was heard of each process of each member: a recording of what one of them said is known for one. */
export class PeerSessions {
  readonly #windows = new Map<string, Map<number, ReplayWindow>>();
  readonly #sessions = new Set<number>();

  /** Of anybody. */
  has(session: number): boolean {
    return this.#sessions.has(session);
  }

  get(node: string, session: number): ReplayWindow | undefined {
    return this.#windows.get(node)?.get(session);
  }

  /** Only of what was proven: its memory is bounded by the number of members. */
  set(node: string, session: number, window: ReplayWindow): void {
    const known = this.#windows.get(node) ?? new Map<number, ReplayWindow>();
    // The last one that spoke is the last one to be forgotten.
    known.delete(session);
    known.set(session, window);
    this.#windows.set(node, known);
    this.#sessions.add(session);
    const [oldest] = known.keys();
    if (known.size > mostEach && oldest !== undefined) this.#forget(known, oldest);
  }

  /** Those of others are forgotten. */
  attend(nodes: ReadonlySet<string>): void {
    for (const [node, known] of this.#windows) {
      if (nodes.has(node)) continue;
      for (const session of known.keys()) this.#sessions.delete(session);
      this.#windows.delete(node);
    }
  }

  #forget(known: Map<number, ReplayWindow>, session: number): void {
    known.delete(session);
    this.#sessions.delete(session);
  }
}
