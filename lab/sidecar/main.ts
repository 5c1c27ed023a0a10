/**
 * `node lab/sidecar/main.ts --ranges ranges.json --state state.json --socket /var/run/purelb/ipam.sock --port 7480`. The
 * file of ranges has for each pool what it gives out: `{"default": ["192.0.2.10-192.0.2.40", "2001:db8::/120"]}`.
 */

import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { HealthChecks } from '../../src/runtime/health.ts';
import { HttpRoutes } from '../../src/runtime/http-routes.ts';
import { startHttpServer } from '../../src/runtime/http-server.ts';
import { Metrics } from '../../src/runtime/metrics.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { PoolBook } from './pool-book.ts';
import { startSidecar } from './start-sidecar.ts';

const { values } = parseArgs({
  options: {
    ranges: { type: 'string', default: 'ranges.json' },
    state: { type: 'string', default: 'state.json' },
    socket: { type: 'string', default: '/var/run/purelb/ipam.sock' },
    port: { type: 'string', default: '7480' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const ranges = JSON.parse(readFileSync(values.ranges, 'utf8')) as Record<string, readonly string[]>;
const book = new PoolBook({ ranges, stateFile: values.state });

const metrics = new Metrics((name, error) => say(`metric ${name} failed: ${String(error)}`));
const calls = metrics.counters({
  name: 'ipam_calls_total',
  help: 'Calls by the allocator',
  labels: ['method', 'status'],
});
const inUse = metrics.gauges({
  name: 'ipam_addresses_in_use',
  help: 'Addresses that are given out',
  labels: ['pool', 'family'],
});
const count = () => {
  for (const pool of book.pools) {
    for (const family of ['ipv4', 'ipv6'] as const) {
      inUse.with({ pool, family }).set(book.count(pool, family).inUse);
    }
  }
};
count();

const sidecar = await startSidecar({
  book,
  listen: { socket: values.socket },
  observe: (method, status) => {
    calls.with({ method, status: String(status) }).add();
    count();
  },
});
const health = new HealthChecks().add('pools', () =>
  book.pools.length > 0 ? undefined : `no pool in ${values.ranges}`,
);
const routes = new HttpRoutes().addMetrics(metrics).addHealth('/healthz', health);
const onError = (where: string, error: unknown) => say(`${where} failed: ${String(error)}`);
const clock = new SystemClock();
const http = await startHttpServer({ port: Number(values.port), routes, clock, onError });
say(
  `serving ${book.pools.join(', ')} at ${sidecar.target}, metrics and health on port ${http.port}`,
);

const stop = () => {
  void Promise.all([sidecar.stop(), http.close()]);
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
