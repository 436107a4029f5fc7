import { expect, it } from 'vitest';
import { Durations } from '../../../src/observe/durations.ts';
import { prometheusText } from '../../../src/observe/prometheus-text.ts';

it('writes counters and gauges with their labels, escaped', () => {
  const text = prometheusText([
    {
      name: 'calls_total',
      help: 'Calls made.',
      type: 'counter',
      samples: [
        { labels: { call: 'GET /a"b' }, value: 3 },
        { labels: { call: 'none' }, value: 0 },
      ],
    },
    { name: 'level', help: 'A level.', type: 'gauge', samples: [{ value: -1.5 }] },
  ]);
  expect(text.trim().split('\n')).toEqual([
    '# HELP calls_total Calls made.',
    '# TYPE calls_total counter',
    'calls_total{call="GET /a\\"b"} 3',
    'calls_total{call="none"} 0',
    '',
    '# HELP level A level.',
    '# TYPE level gauge',
    'level -1.5',
  ]);
});

it('writes durations as a histogram in seconds, whose buckets hold those before them', () => {
  const counted = new Durations();
  for (const ms of [0.5, 1500, 1600, 200_000]) counted.add(ms);
  const text = prometheusText([
    {
      name: 'call_seconds',
      help: 'Time of calls.',
      type: 'histogram',
      fromMs: 1000,
      samples: [{ labels: { call: 'GET' }, durations: counted.snapshot() }],
    },
  ]);
  expect(text.trim().split('\n')).toEqual([
    '# HELP call_seconds Time of calls.',
    '# TYPE call_seconds histogram',
    ...[1.048576, 2.097152, 4.194304, 8.388608, 16.777216, 33.554432, 67.108864, 134.217728].map(
      (end, index) => `call_seconds_bucket{call="GET",le="${end}"} ${index === 0 ? 1 : 3}`,
    ),
    'call_seconds_bucket{call="GET",le="+Inf"} 4',
    'call_seconds_sum{call="GET"} 203.1005',
    'call_seconds_count{call="GET"} 4',
  ]);
});
