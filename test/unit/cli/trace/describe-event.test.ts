import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { TraceEvent } from '../../../../src/cli/mount/trace/trace-event.ts';
import { describeEvent } from '../../../../src/cli/trace/describe-event.ts';

const READ: TraceEvent = {
  atMs: new Date(2026, 0, 1, 14, 2, 11, 52).getTime(),
  process: 812,
  program: 'cp',
  operation: 'read',
  path: '/a/b',
  target: null,
  detail: '4096@0',
  result: 4096,
  errno: null,
  reason: null,
  ms: 1.234,
  requests: 1,
};

it.each([
  [{}, 'cp[812] read /a/b 4096@0 = 4096 <1.23 ms, 1 request>'],
  [
    { operation: 'rename2', path: '/a', target: '/b\n', detail: null, result: null, ms: 12.6, requests: 2 },
    'cp[812] rename2 /a -> /b\\x0a = 0 <13 ms, 2 requests>',
  ],
  [
    { operation: 'unlink', detail: null, result: null, errno: 'EPERM', reason: 'no \x1b way', requests: 0 },
    'cp[812] unlink /a/b = EPERM (no \\x1b way) <1.23 ms>',
  ],
  [{ operation: 'lookup', detail: null, result: null, errno: 'ENOENT' }, /lookup \/a\/b = ENOENT </],
  [{ process: 0, program: null }, /052 kernel read /],
  [{ program: null }, /052 \?\[812\] read /],
] as const)('an operation is one line: %j', (changes, text) => {
  const stream = new PassThrough() as unknown as NodeJS.WriteStream;
  const line = describeEvent({ ...READ, ...changes }, stream);
  if (typeof text === 'string') expect(line).toBe(`14:02:11.052 ${text}`);
  else expect(line).toMatch(text);
});
