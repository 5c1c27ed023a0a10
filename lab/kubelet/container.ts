import { constants } from 'node:os';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import { type Exit, HostProcess } from '../process/host-process.ts';
import { type ContainerEvent, eventOf, killingEvent } from './container-events.ts';
import type { ContainerReading, ContainerState } from './container-reading.ts';
import { findImage, missingImage } from './images.ts';
import { LogRing } from './log-ring.ts';
import { mayRestart } from './pod-status.ts';
import type { ContainerWish, RestartPolicy } from './pod-wish.ts';
import { watchProbe } from './probe.ts';

export interface ContainerOptions {
  readonly wish: ContainerWish;
  readonly pod: string;
  readonly restartPolicy: RestartPolicy;
  /** The command that leads into the pod's network. */
  readonly entry: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where probes find it. */
  readonly ip: string;
  readonly clock: Clock;
  readonly restartCount: number;
  readonly onChange: () => void;
  readonly onEvent: (event: ContainerEvent) => void;
}

/** A tenth of the real kubelet's: nobody wants to watch a lab wait. */
const backoff = { firstMs: 1000, longestMs: 30_000, forgottenAfterMs: 60_000 } as const;

/** One program of a pod, started again when it ends as the pod's policy says. */
export class Container {
  readonly #options: ContainerOptions;
  readonly #stopping = new AbortController();
  #state: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };
  #lastState: ContainerState | undefined;
  #restartCount: number;
  #isReady = false;
  #process: HostProcess | undefined;
  #log = new LogRing();
  #previousLog: LogRing | undefined;
  #run: Promise<void> = Promise.resolve();

  constructor(options: ContainerOptions) {
    this.#options = options;
    this.#restartCount = options.restartCount;
  }

  get name(): string {
    return this.#options.wish.name;
  }

  /** Of its latest run. */
  get log(): LogRing {
    return this.#log;
  }

  /** Of the run before that. */
  get previousLog(): LogRing | undefined {
    return this.#previousLog;
  }

  get reading(): ContainerReading {
    const { name, image } = this.#options.wish;
    const pid = this.#process?.pid;
    return {
      name,
      image,
      state: this.#state,
      ...(this.#lastState === undefined ? {} : { lastState: this.#lastState }),
      restartCount: this.#restartCount,
      isReady: this.#isReady,
      ...(pid === undefined ? {} : { pid }),
    };
  }

  start(): void {
    this.#run = this.#live();
  }

  /** SIGTERM, then SIGKILL after the grace; resolves when it has ended for good. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    if (this.#process !== undefined) this.#options.onEvent(killingEvent(this.name));
    await this.#process?.stop(graceMs);
    await this.#run;
  }

  async #live(): Promise<void> {
    const { signal } = this.#stopping;
    const image = findImage(this.#options.wish.image);
    if (image === undefined) {
      this.#become(missingState(this.#options.wish.image));
      return;
    }
    for (let failures = 0; !signal.aborted; ) {
      const ranMs = await this.#runOnce([process.execPath, ...image.argv(this.#argument())]);
      if (signal.aborted || !mayRestart(this.#reading(), this.#options.restartPolicy)) return;
      failures = ranMs > backoff.forgottenAfterMs ? 1 : failures + 1;
      await this.#waitBeforeRestart(failures);
    }
  }

  #argument() {
    const { pod, wish } = this.#options;
    return { pod, port: wish.port };
  }

  #reading(): Pick<ContainerReading, 'state'> {
    return { state: this.#state };
  }

  async #waitBeforeRestart(failures: number): Promise<void> {
    const { firstMs, longestMs } = backoff;
    // The first time it is started again at once.
    const delayMs = failures === 1 ? 0 : Math.min(firstMs * 2 ** (failures - 2), longestMs);
    this.#lastState = this.#state;
    if (delayMs > 0) {
      const message = `back-off ${delayMs / 1000}s restarting failed container=${this.name} pod=${this.#options.pod}`;
      this.#become({ kind: 'waiting', reason: 'CrashLoopBackOff', message });
      await sleep(this.#options.clock, delayMs, this.#stopping.signal).catch(() => {});
    }
    this.#restartCount += this.#stopping.signal.aborted ? 0 : 1;
  }

  /** Resolves to how long it ran. */
  async #runOnce(argv: readonly string[]): Promise<number> {
    const { entry, wish, env, clock } = this.#options;
    const started = new HostProcess(entry, [...argv, ...wish.args], {
      env: { ...env, ...wish.env },
    });
    this.#process = started;
    const startedAt = clock.now();
    const log = this.#openLog();
    started.onLine(({ stream, text }) => log.append({ at: clock.now(), stream, text }));
    const probing = new AbortController();
    this.#probe(started, probing.signal);
    this.#become({ kind: 'running', startedAt });
    const exit = await started.exited;
    log.close();
    probing.abort();
    this.#isReady = false;
    this.#process = undefined;
    const finishedAt = clock.now();
    this.#become({ kind: 'terminated', exitCode: exitCodeOf(exit), startedAt, finishedAt });
    return finishedAt - startedAt;
  }

  #openLog(): LogRing {
    const hasRun = this.#lastState !== undefined;
    if (hasRun) this.#previousLog = this.#log;
    if (hasRun) this.#log = new LogRing();
    return this.#log;
  }

  #probe(started: HostProcess, signal: AbortSignal): void {
    const { wish, ip, clock } = this.#options;
    const { readiness, liveness } = wish;
    this.#isReady = readiness === undefined;
    if (readiness !== undefined) {
      const onVerdict = (isWell: boolean) => {
        this.#isReady = isWell;
        this.#options.onChange();
      };
      void watchProbe({ probe: readiness, ip, clock, signal, onVerdict });
    }
    if (liveness !== undefined) {
      const onVerdict = (isWell: boolean) => {
        if (!isWell) void started.stop();
      };
      void watchProbe({ probe: liveness, ip, clock, signal, onVerdict });
    }
  }

  #become(state: ContainerState): void {
    this.#state = state;
    const event = eventOf(state, this.name);
    if (event !== undefined) this.#options.onEvent(event);
    this.#options.onChange();
  }
}

function missingState(image: string): ContainerState {
  return { kind: 'waiting', reason: 'ErrImagePull', message: missingImage(image) };
}

function exitCodeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
