/** Named checks behind /healthz and /readyz. */

/** Why it fails, in words for a person; a note if nothing fails and there is something to know; undefined if not. */
export type HealthCheck = () => string | HealthNote | undefined;

export interface HealthNote {
  readonly note: string;
}

export interface HealthReport {
  readonly isOk: boolean;
  /** In order of their names. */
  readonly checks: readonly CheckReport[];
}

export interface CheckReport {
  readonly name: string;
  readonly failure: string | undefined;
  readonly note?: string;
}

export class HealthChecks {
  readonly #checks = new Map<string, HealthCheck>();

  /** Without any check the answer is yes. */
  add(name: string, check: HealthCheck): this {
    if (this.#checks.has(name)) throw new TypeError(`there is a check called ${name} already`);
    this.#checks.set(name, check);
    return this;
  }

  remove(name: string): void {
    this.#checks.delete(name);
  }

  report(): HealthReport {
    const names = [...this.#checks.keys()].sort();
    const checks = names.map((name) => this.#run(name));
    return { isOk: checks.every(({ failure }) => failure === undefined), checks };
  }

  /** Of one check alone; undefined if there is none of this name. */
  reportOne(name: string): HealthReport | undefined {
    if (!this.#checks.has(name)) return undefined;
    const check = this.#run(name);
    return { isOk: check.failure === undefined, checks: [check] };
  }

  #run(name: string): CheckReport {
    try {
      const found = this.#checks.get(name)?.();
      if (typeof found !== 'object') return { name, failure: found };
      return { name, failure: undefined, note: found.note };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { name, failure: `the check itself failed: ${words}` };
    }
  }
}

/** `ok`, or a line for each check that fails; with all checks when `verbose`. */
export function renderHealth({ isOk, checks }: HealthReport, verbose: boolean): string {
  const shown = verbose ? checks : checks.filter(({ failure }) => failure !== undefined);
  const lines = shown.map(
    ({ name, failure, note }) =>
      `${name}: ${failure ?? (note === undefined ? 'ok' : `ok, ${note}`)}`,
  );
  return `${[isOk ? 'ok' : 'failing', ...lines].join('\n')}\n`;
}
