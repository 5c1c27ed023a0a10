/** What can be read over HTTP, by path. */

import { type HealthChecks, renderHealth } from './health.ts';
import { jsonChunks } from './json-chunks.ts';
import { metricsContentType } from './metric-text.ts';
import type { Metrics } from './metrics.ts';
import { ReplySlots } from './reply-slots.ts';

export interface HttpReply {
  readonly status: number;
  readonly type: string;
  /** A text, or its pieces, which are asked for only as fast as the client reads. */
  readonly body: string | Iterable<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface HttpQuestion {
  /** What follows the route's path, for a route that ends with "/". */
  readonly rest: string;
  readonly query: URLSearchParams;
}

export type HttpRoute = (question: HttpQuestion) => HttpReply | Promise<HttpReply>;

/** How a request is answered; `slots` limits how many such answers are under way at once. */
export interface FoundRoute {
  readonly slots: ReplySlots | undefined;
  answer(): Promise<HttpReply>;
}

interface Registered {
  readonly route: HttpRoute;
  readonly slots: ReplySlots | undefined;
}

/** A scraper reads its answer at once, so that one of these is free whenever it asks. */
const metricsAtOnce = 4;

export class HttpRoutes {
  readonly #routes = new Map<string, Registered>();

  /** A path that ends with "/" stands for everything below it. */
  add(path: string, route: HttpRoute, slots?: ReplySlots): this {
    if (!path.startsWith('/')) throw new TypeError(`the path "${path}" must start with "/"`);
    if (this.#routes.has(path)) throw new TypeError(`there is a route for ${path} already`);
    this.#routes.set(path, { route, slots });
    return this;
  }

  addMetrics(metrics: Metrics): this {
    const route = () => reply(200, metrics.render(), metricsContentType);
    return this.add('/metrics', route, metricsSlots());
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

  /**
   * `produce` is called for each request. Its value is written piece by piece, see `jsonChunks`; of more requests than
   * `atOnce` the later ones are refused.
   */
  addJson(path: string, produce: (query: URLSearchParams) => unknown, atOnce = 2): this {
    const slots = new ReplySlots({ atOnce, whenFull: 'refuse' });
    const route = async ({ query }: HttpQuestion) => {
      const body = jsonChunks((await produce(query)) ?? null);
      return { status: 200, type: 'application/json', body };
    };
    return this.add(path, route, slots);
  }

  find(target: string): FoundRoute {
    const [path = '', search = ''] = target.split('?', 2);
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    const found = this.#routes.get(path) ?? this.#routes.get(parent);
    if (found === undefined) return { slots: undefined, answer: async () => this.#refuse() };
    const question = { rest: path.slice(parent.length), query: new URLSearchParams(search) };
    return { slots: found.slots, answer: async () => found.route(question) };
  }

  #refuse(): HttpReply {
    const known = [...this.#routes.keys()].filter((each) => !each.endsWith('/')).sort();
    return reply(404, `nothing here; there is ${known.join(', ')}\n`);
  }
}

/** Of clients that do not read their metrics, the one that has waited longest loses its place to the next scraper. */
export function metricsSlots(): ReplySlots {
  return new ReplySlots({ atOnce: metricsAtOnce, whenFull: 'end the oldest' });
}

export function reply(status: number, body: string, type = 'text/plain; charset=utf-8'): HttpReply {
  return { status, type, body };
}
