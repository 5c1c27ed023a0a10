import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthChecks } from './health.ts';
import { HttpRoutes } from './http-routes.ts';
import { Metrics } from './metrics.ts';

const text = 'text/plain; charset=utf-8';

function create() {
  const metrics = new Metrics(() => assert.fail());
  metrics.gauge({ name: 'up', help: 'Up.' }).set(1);
  const ready = new HealthChecks();
  ready.add('synced', () => 'not yet');
  ready.add('leader', () => undefined);
  return new HttpRoutes()
    .addMetrics(metrics)
    .addHealth('/healthz', new HealthChecks())
    .addHealth('/readyz', ready)
    .addJson('/state', (query) => ({ size: 2n ** 64n, of: query.get('of') }));
}

test('metrics come as Prometheus wants them', async () => {
  assert.deepEqual(await create().find('/metrics').answer(), {
    status: 200,
    type: 'text/plain; version=0.0.4; charset=utf-8',
    body: '# HELP up Up.\n# TYPE up gauge\nup 1\n',
  });
});

test('health is 200, or 503 with what fails', async () => {
  const rows: [string, number, string][] = [
    ['/healthz', 200, 'ok\n'],
    ['/readyz', 503, 'failing\nsynced: not yet\n'],
    ['/readyz?verbose', 503, 'failing\nleader: ok\nsynced: not yet\n'],
    ['/readyz/leader', 200, 'ok\n'],
    ['/readyz/synced', 503, 'failing\nsynced: not yet\n'],
    ['/readyz/other', 404, 'no such check\n'],
  ];
  for (const [target, status, body] of rows) {
    assert.deepEqual(await create().find(target).answer(), { status, type: text, body }, target);
  }
});

test('JSON may hold bigints and take a query', async () => {
  const { status, type, body } = await create().find('/state?of=pool%201&x').answer();
  assert.deepEqual([status, type], [200, 'application/json']);
  assert.equal([...body].join(''), '{\n  "size": "18446744073709551616",\n  "of": "pool 1"\n}\n');
  const nothing = await new HttpRoutes()
    .addJson('/a', () => undefined)
    .find('/a')
    .answer();
  assert.equal([...nothing.body].join(''), 'null\n');
});

test('each request has its own JSON, also when producing it takes a while', async () => {
  let count = 0;
  const routes = new HttpRoutes().addJson('/count', async () => ++count);
  assert.equal([...(await routes.find('/count').answer()).body].join(''), '1\n');
  assert.equal([...(await routes.find('/count').answer()).body].join(''), '2\n');
});

test('an unknown path is told what there is', async () => {
  for (const target of [
    '/',
    '',
    '/metrics/x',
    '/Metrics',
    '//',
    '/readyz/a/b',
    'http://h/metrics',
  ]) {
    assert.deepEqual(
      await create().find(target).answer(),
      {
        status: 404,
        type: text,
        body: 'nothing here; there is /healthz, /metrics, /readyz, /state\n',
      },
      target,
    );
  }
});

test('a path is absolute and has one route', () => {
  const routes = create();
  assert.throws(() => routes.addJson('state', () => 1), /must start with "\/"/);
  assert.throws(() => routes.addJson('/state', () => 1), /route for \/state already/);
});
