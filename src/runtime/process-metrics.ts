import { readdirSync, readFileSync } from 'node:fs';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Metrics } from './metrics.ts';

/**
 * Coarse on purpose: sampling every 10 ms costs 0.8 % of a core, every 100 ms a tenth of that, and a stall worth
 * knowing of is longer.
 */
const samplingMs = 100;

/** The process itself, under the names that Prometheus clients of all languages use. Undone by the returned function. */
export function addProcessMetrics(metrics: Metrics): () => void {
  addProcess(metrics);
  addHeap(metrics);
  return addEventLoop(metrics);
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
function addEventLoop(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: samplingMs });
  delay.enable();
  metrics.gauges({
    name: 'nodejs_eventloop_lag_seconds',
    help: 'How late the event loop was, since last read.',
    labels: ['stat'],
    collect: (family) => {
      const { mean, max } = delay;
      const values = { mean, p99: delay.percentile(99), max };
      for (const [stat, value] of Object.entries(values)) family.with({ stat }).set(toLag(value));
      delay.reset();
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
  return () => delay.disable();
}

/** Node counts the sampling interval itself as delay, in nanoseconds; without a sample yet there is none. */
export function toLag(delayNanoseconds: number): number {
  if (Number.isNaN(delayNanoseconds)) return 0;
  return Math.max(0, delayNanoseconds - samplingMs * 1e6) / 1e9;
}
