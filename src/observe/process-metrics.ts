import type { Metric } from './prometheus-text.ts';

/** What this process takes of the machine, under the names that all programs use. */
export function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time of the process.',
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Memory of the process.',
      type: 'gauge',
      samples: [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process_start_time_seconds',
      help: 'Begin of the process, in seconds since the epoch.',
      type: 'gauge',
      samples: [{ value: performance.timeOrigin / 1000 }],
    },
  ];
}
