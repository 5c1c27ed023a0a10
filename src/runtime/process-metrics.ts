import { readdirSync, readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { Lateness } from './lateness.ts';
import type { Metrics } from './metrics.ts';

/** The process itself, under the names that Prometheus clients of all languages use. */
export function addProcessMetrics(metrics: Metrics, lateness: Lateness): void {
  addProcess(metrics);
  addHeap(metrics);
  addEventLoop(metrics, lateness);
}

function addProcess(metrics: Metrics): void {
  metrics.counter({
    name: 'process_cpu_seconds_total',
    help: 'User and system CPU time spent.',
    collect: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  metrics.gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory size.',
    collect: () => process.memoryUsage.rss(),
  });
  const startedAt = performance.timeOrigin / 1000;
  metrics.gauge({
    name: 'process_start_time_seconds',
    help: 'Start time of the process since the epoch.',
    collect: () => startedAt,
  });
  metrics.gauge({
    name: 'process_open_fds',
    help: 'Number of open file descriptors.',
    // Less the one that reads the directory.
    collect: () => readdirSync('/proc/self/fd').length - 1,
  });
  metrics.gauge({
    name: 'process_max_fds',
    help: 'Maximum number of open file descriptors.',
    collect: () => openFilesLimit(readFileSync('/proc/self/limits', 'utf8')),
  });
}

/** The soft limit in the text of /proc/PID/limits. */
export function openFilesLimit(limits: string): number {
  const soft = /^Max open files\s+(\S+)/m.exec(limits)?.[1];
  return soft === 'unlimited' ? Infinity : Number(soft);
}

function addHeap(metrics: Metrics): void {
  metrics.gauge({
    name: 'nodejs_heap_size_used_bytes',
    help: 'Memory used on the JavaScript heap.',
    collect: () => process.memoryUsage().heapUsed,
  });
  metrics.gauge({
    name: 'nodejs_heap_size_total_bytes',
    help: 'Size of the JavaScript heap.',
    collect: () => process.memoryUsage().heapTotal,
  });
  metrics
    .gauges({ name: 'nodejs_version_info', help: 'Version of Node.', labels: ['version'] })
    .with({ version: process.version })
    .set(1);
}

/** Both cover the time since they were last read. */
function addEventLoop(metrics: Metrics, lateness: Lateness): void {
  metrics.gauges({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'How late the event loop was, since last read.',
    labels: ['stat'],
    collect: (family) => {
      const figures = Object.entries(lateness.take());
      for (const [stat, seconds] of figures) family.with({ stat }).set(seconds);
    },
  });
  let last = performance.eventLoopUtilization();
  metrics.gauge({
    name: 'nodejs_eventloop_utilization_ratio',
    help: 'Share of time in which the event loop was busy, since last read.',
    collect: () => {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, last);
      last = current;
      return utilization;
    },
  });
}
