/** What comes in and goes out, independent of any connection. */

export interface NetboxRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface NetboxAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Json = Readonly<Record<string, unknown>>;

/** Ends a request with this answer. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

export function refuse(status: number, detail: string): never {
  throw new Refusal(status, { detail });
}

export function invalid(field: string, message: string): never {
  throw new Refusal(400, { [field]: [message] });
}

export function isFields(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
