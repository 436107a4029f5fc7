import { expect, it } from 'vitest';
import { prometheusText } from '../../../src/observe/prometheus-text.ts';

it('writes counters and gauges with their labels, escaped', async () => {
  const text = await prometheusText([
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
