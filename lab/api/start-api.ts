import type { Clock } from '../../src/runtime/clock.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { Api } from './api.ts';
import { listen } from './http/http-server.ts';
import type { Store } from './store/store.ts';

export interface StartOptions {
  readonly port?: number;
  readonly host?: string;
  readonly serviceCidrs?: readonly string[];
  readonly clock?: Clock;
}

export interface RunningApi {
  readonly url: string;
  readonly api: Api;
  readonly store: Store;
  stop(): Promise<void>;
}

/** Starts an embedded Kubernetes API server; ready when the promise resolves. */
export async function startApi(options: StartOptions = {}): Promise<RunningApi> {
  const { port = 0, host = '127.0.0.1', clock = new SystemClock() } = options;
  const { serviceCidrs } = options;
  const api = new Api({ clock, ...(serviceCidrs === undefined ? {} : { serviceCidrs }) });
  const server = await listen((request) => api.handle(request), { port, host });
  return {
    url: `http://${host}:${server.port}`,
    api,
    store: api.core.store,
    stop: () => server.close(),
  };
}
