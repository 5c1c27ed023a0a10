/** What each client of the kube bench reports about itself when it has seen everything. */

export interface ClientReport {
  readonly services: number;
  readonly events: number;
  /** Events that came after a newer one of the same Service. */
  readonly reordered: number;
  /** Services whose last state is not the newest. */
  readonly stale: number;
  /** User and system time since the process began. */
  readonly cpuMs: number;
  readonly listCpuMs: number;
  readonly peakRssMb: number;
  /** Some seconds after the list, before any event. */
  readonly idleRssMb: number;
}

/** What a client is told on its command line. */
export interface ClientTask {
  readonly server: string;
  readonly caFile: string;
  readonly services: number;
  readonly events: number;
  readonly idleMs: number;
  readonly isStorm: boolean;
}

export function readTask(): ClientTask {
  return JSON.parse(process.argv[2] ?? '{}') as ClientTask;
}

export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function rssMb(): number {
  return process.memoryUsage.rss() / 1e6;
}

export function peakRssMb(): number {
  return (process.resourceUsage().maxRSS * 1024) / 1e6;
}

/** Follows revisions by Service: both clients are measured with the same load on top. */
export class Ledger {
  readonly #revisions = new Map<string, number>();
  events = 0;
  reordered = 0;

  note(name: string, revision: number): void {
    this.events += 1;
    if (revision < (this.#revisions.get(name) ?? -1)) this.reordered += 1;
    this.#revisions.set(name, revision);
  }

  revisionOf(name: string): number {
    return this.#revisions.get(name) ?? -1;
  }
}

export function report(fields: ClientReport): void {
  process.stdout.write(`${JSON.stringify(fields)}\n`, () => process.exit(0));
}
