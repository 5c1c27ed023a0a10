/** Named checks behind /healthz and /readyz. */

/** Why it fails, in words for a person; undefined when all is well. */
export type HealthCheck = () => string | undefined;

export interface HealthReport {
  readonly isOk: boolean;
  /** In order of their names. */
  readonly checks: readonly { readonly name: string; readonly failure: string | undefined }[];
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
    const checks = names.map((name) => ({ name, failure: this.#run(name) }));
    return { isOk: checks.every(({ failure }) => failure === undefined), checks };
  }

  /** Of one check alone; undefined if there is none of this name. */
  reportOne(name: string): HealthReport | undefined {
    if (!this.#checks.has(name)) return undefined;
    const failure = this.#run(name);
    return { isOk: failure === undefined, checks: [{ name, failure }] };
  }

  #run(name: string): string | undefined {
    try {
      return this.#checks.get(name)?.();
    } catch (error) {
      return `the check itself failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}

/** `ok`, or a line for each check that fails; with all checks when `verbose`. */
export function renderHealth({ isOk, checks }: HealthReport, verbose: boolean): string {
  const shown = verbose ? checks : checks.filter(({ failure }) => failure !== undefined);
  const lines = shown.map(({ name, failure }) => `${name}: ${failure ?? 'ok'}`);
  return `${[isOk ? 'ok' : 'failing', ...lines].join('\n')}\n`;
}
