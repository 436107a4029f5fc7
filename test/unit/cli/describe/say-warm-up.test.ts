import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { sayWarmUp } from '../../../../src/cli/describe/say-warm-up.ts';

const MIB = 1024 * 1024;
const HALF = { doneFiles: 1, foundFiles: 2, doneBytes: 3 * MIB, foundBytes: 6 * MIB, fetchedBytes: 2 * MIB };

let nowMs = 0;
afterEach(() => vi.restoreAllMocks());

/** The output for a progress at these times, in ms, and at the end. */
function saidAt(times: readonly number[], isTTY: boolean): string {
  nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const stream = Object.assign(new PassThrough(), { isTTY }) as unknown as NodeJS.WriteStream;
  const say = sayWarmUp(stream);
  for (nowMs of times) say(HALF);
  say(undefined);
  return String(stream.read() ?? '');
}

it('a terminal shows one line that changes, and goes', () => {
  const line = '\r\x1b[K1 of 2 files, 3 MiB of 6 MiB, ';
  expect(saidAt([1000, 2000], true)).toBe(`${line}2 MiB/s${line}1 MiB/s\r\x1b[K`);
});

it('elsewhere there is a line every five seconds', () => {
  expect(saidAt([1000, 4999, 5000, 9000, 10_000], false).split('\n')).toEqual([
    '1 of 2 files, 3 MiB of 6 MiB, 409.6 KiB/s',
    '1 of 2 files, 3 MiB of 6 MiB, 204.8 KiB/s',
    '',
  ]);
});

it('nothing is said where there is no stream', () => {
  expect(() => sayWarmUp(undefined)(HALF)).not.toThrow();
});
