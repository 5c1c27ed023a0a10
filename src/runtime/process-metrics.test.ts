import assert from 'node:assert/strict';
import { closeSync, openSync } from 'node:fs';
import { test } from 'node:test';
import { Lateness } from './lateness.ts';
import { Metrics } from './metrics.ts';
import { addProcessMetrics, openFilesLimit } from './process-metrics.ts';

/** Series → value. */
function read(metrics: Metrics): Map<string, number> {
  const lines = metrics
    .render()
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const [series = '', value = ''] = line.split(' ');
      return [series, value === '+Inf' ? Infinity : Number(value)];
    }),
  );
}

test('the process reports itself under the usual names', () => {
  const metrics = new Metrics((metric, error) => assert.fail(`${metric}: ${String(error)}`));
  const lateness = new Lateness();
  lateness.note(250);
  addProcessMetrics(metrics, lateness);
  const values = read(metrics);
  const at = (name: string) => values.get(name) ?? Number.NaN;
  assert.deepEqual(
    [...values.keys()],
    [
      'nodejs_eventloop_lag_seconds{stat="max"}',
      'nodejs_eventloop_lag_seconds{stat="mean"}',
      'nodejs_eventloop_lag_seconds{stat="p99"}',
      'nodejs_eventloop_utilization_ratio',
      'nodejs_heap_size_total_bytes',
      'nodejs_heap_size_used_bytes',
      `nodejs_version_info{version="${process.version}"}`,
      'process_cpu_seconds_total',
      'process_max_fds',
      'process_open_fds',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
    ],
  );
  const used = process.cpuUsage();
  assert.ok(at('process_cpu_seconds_total') > 0);
  assert.ok(at('process_cpu_seconds_total') <= (used.user + used.system) / 1e6);
  assert.ok(at('process_resident_memory_bytes') > at('nodejs_heap_size_used_bytes'));
  assert.ok(Math.abs(Date.now() / 1000 - process.uptime() - at('process_start_time_seconds')) < 1);
  assert.ok(at('process_open_fds') > 3 && at('process_open_fds') < at('process_max_fds'));
  assert.ok(at('nodejs_eventloop_utilization_ratio') >= 0);
  assert.ok(at('nodejs_eventloop_utilization_ratio') <= 1);

  assert.equal(at('nodejs_eventloop_lag_seconds{stat="max"}').toFixed(2), '0.25');

  const descriptor = openSync('/dev/null', 'r');
  assert.equal(read(metrics).get('process_open_fds'), at('process_open_fds') + 1);
  closeSync(descriptor);
});

test('the limit of open files is read from what the kernel says', () => {
  const header = 'Limit                     Soft Limit           Hard Limit           Units     \n';
  const limits = (soft: string) =>
    `${header}Max open files            ${soft}                 524288               files     \n`;
  assert.equal(openFilesLimit(limits('1024')), 1024);
  assert.equal(openFilesLimit(limits('unlimited')), Infinity);
});
