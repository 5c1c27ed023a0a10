/** The agent of a node, in its container: found among the node's processes, and told things by signals. */

import type { AgentProcess } from '../cluster/node-programs.ts';
import { eventually } from '../eventually.ts';
import { monotonicMs } from '../monotonic.ts';
import { commandOf, processesIn } from '../network/demolish.ts';
import type { Host } from '../network/host.ts';

const program = '/purelb/agent.cjs';
const lookEveryMs = 300;
const goneWithinMs = 60_000;

export class ContainerAgent implements AgentProcess {
  readonly #host: Host;
  readonly #replace: () => Promise<void>;
  #pid: number | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  /** `replace` makes the cluster delete its pod. */
  constructor(host: Host, replace: () => Promise<void>) {
    this.#host = host;
    this.#replace = replace;
  }

  /** As seen from the sandbox; undefined while no agent runs on the node. */
  get pid(): number | undefined {
    if (this.#pid !== undefined && isAgent(this.#pid)) return this.#pid;
    // Looking through all processes takes a while, and this is asked many times a second.
    if (monotonicMs() - this.#lookedAt < lookEveryMs) return undefined;
    this.#lookedAt = monotonicMs();
    this.#pid = this.#host.isOff ? undefined : processesIn([this.#host.namespace]).find(isAgent);
    return this.#pid;
  }

  get hasExited(): boolean {
    return this.pid === undefined;
  }

  freeze(): void {
    this.#signal('SIGSTOP');
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** The kubelet starts another one in the same pod. */
  async kill(): Promise<void> {
    const { pid } = this;
    this.#signal('SIGKILL');
    await this.#whenGone(pid);
  }

  async stop(): Promise<void> {
    const { pid } = this;
    await this.#replace();
    await this.#whenGone(pid);
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid } = this;
    if (pid !== undefined) process.kill(pid, signal);
  }

  async #whenGone(pid: number | undefined): Promise<void> {
    const check = () => {
      if (pid !== undefined && isAgent(pid)) throw new Error(`process ${pid} is still there`);
    };
    await eventually(check, { withinMs: goneWithinMs });
  }
}

function isAgent(pid: number): boolean {
  return commandOf(pid).includes(program);
}
