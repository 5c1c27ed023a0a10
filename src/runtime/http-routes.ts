/** What can be read over HTTP, by path. */

import { type HealthChecks, renderHealth } from './health.ts';
import { metricsContentType } from './metric-text.ts';
import type { Metrics } from './metrics.ts';

export interface HttpReply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

export interface HttpQuestion {
  /** What follows the route's path, for a route that ends with "/". */
  readonly rest: string;
  readonly query: URLSearchParams;
}

export type HttpRoute = (question: HttpQuestion) => HttpReply | Promise<HttpReply>;

export class HttpRoutes {
  readonly #routes = new Map<string, HttpRoute>();

  /** A path that ends with "/" stands for everything below it. */
  add(path: string, route: HttpRoute): this {
    if (!path.startsWith('/')) throw new TypeError(`the path "${path}" must start with "/"`);
    if (this.#routes.has(path)) throw new TypeError(`there is a route for ${path} already`);
    this.#routes.set(path, route);
    return this;
  }

  addMetrics(metrics: Metrics): this {
    return this.add('/metrics', () => reply(200, metrics.render(), metricsContentType));
  }

  /** The whole at `path`, one check alone at `path/NAME`, all with their state at `path?verbose`. */
  addHealth(path: string, checks: HealthChecks): this {
    const answer = (report: ReturnType<HealthChecks['report']>, query: URLSearchParams) =>
      reply(report.isOk ? 200 : 503, renderHealth(report, query.has('verbose')));
    this.add(path, ({ query }) => answer(checks.report(), query));
    return this.add(`${path}/`, ({ rest, query }) => {
      const report = checks.reportOne(rest);
      return report === undefined ? reply(404, 'no such check\n') : answer(report, query);
    });
  }

  /** `produce` is called for each request; its value may contain bigints, which become strings. */
  addJson(path: string, produce: (query: URLSearchParams) => unknown): this {
    return this.add(path, async ({ query }) => {
      const value = (await produce(query)) ?? null;
      return reply(200, `${JSON.stringify(value, bigIntsAsText, 2)}\n`, 'application/json');
    });
  }

  async answer(target: string): Promise<HttpReply> {
    const [path = '', search = ''] = target.split('?', 2);
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    const route = this.#routes.get(path) ?? this.#routes.get(parent);
    if (route === undefined) {
      const known = [...this.#routes.keys()].filter((known) => !known.endsWith('/')).sort();
      return reply(404, `nothing here; there is ${known.join(', ')}\n`);
    }
    return route({ rest: path.slice(parent.length), query: new URLSearchParams(search) });
  }
}

export function reply(status: number, body: string, type = 'text/plain; charset=utf-8'): HttpReply {
  return { status, type, body };
}

function bigIntsAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
