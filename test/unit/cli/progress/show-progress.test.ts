import { expect, it } from 'vitest';
import { ShownProgress } from '../../../../src/cli/progress/show-progress.ts';
import type { ReadStanding } from '../../../../src/cli/progress/standing.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const MIB = 1024 * 1024;
const SHOWN = { quiet: false, json: false };

/** What is written in so many seconds of work that carries 1 MiB a second. */
async function writtenIn(
  seconds: number,
  options: { readonly isTTY: boolean; readonly quiet?: boolean; readonly json?: boolean },
  read?: (clock: FakeClock) => ReadStanding,
): Promise<string> {
  const { isTTY, ...given } = options;
  const clock = new FakeClock();
  let written = '';
  const write = (text: string | Uint8Array): boolean => {
    written += text;
    return true;
  };
  const stream = { isTTY, columns: 80, write };
  const ownRead: ReadStanding = async () => ({
    done: { items: 0, bytes: (clock.monotonic() / 1000) * MIB },
    total: { items: 1, bytes: 100 * MIB },
    waits: [],
  });
  const progress = new ShownProgress(read?.(clock) ?? ownRead, { ...SHOWN, ...given }, { stream, clock });
  for (let each = 0; each < seconds; each += 0.5) await clock.advance(500);
  progress.end();
  await clock.advance(60_000);
  return written;
}

it('shows nothing in the first second', async () => {
  expect(await writtenIn(0.5, { isTTY: false })).toBe('');
  expect(await writtenIn(0.5, { isTTY: true })).toBe('\r\x1b[K');
});

it('redraws one line twice a second on a terminal, and takes it away', async () => {
  const written = await writtenIn(3, { isTTY: true });
  const lines = written.split('\r\x1b[K');
  expect(lines).toHaveLength(1 + 5 + 1);
  expect(lines.at(-2)).toMatch(/^\[#*\.+\] 0 of 1 file, 3 MiB of 100 MiB, 1 MiB\/s, 1:37 left$/);
  expect(lines.at(-1)).toBe('');
});

it('writes a line every ten seconds where nobody watches', async () => {
  expect((await writtenIn(25, { isTTY: false })).split('\n')).toEqual([
    'svcfs: 0 of 1 file, 10 MiB of 100 MiB, 1 MiB/s, 1:30 left',
    'svcfs: 0 of 1 file, 20 MiB of 100 MiB, 1 MiB/s, 1:20 left',
    '',
  ]);
});

it('writes a line of JSON a second, for a program', async () => {
  const lines = (await writtenIn(2, { isTTY: true, json: true })).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      event: 'progress',
      files: { done: 0, total: 1, perSecond: 0 },
      bytes: { done: MIB, total: 100 * MIB, perSecond: 0 },
      elapsedSeconds: 1,
      secondsLeft: null,
      waits: [],
    },
    expect.objectContaining({ bytes: { done: 2 * MIB, total: 100 * MIB, perSecond: MIB }, secondsLeft: 98 }),
  ]);
});

it('writes nothing where it is not wanted', async () => {
  expect(await writtenIn(30, { isTTY: true, quiet: true })).toBe('');
  expect(await writtenIn(30, { isTTY: false, quiet: true })).toBe('');
});

it('looks less often where a look takes long, and goes on where one fails', async () => {
  let looks = 0;
  await writtenIn(20, { isTTY: true }, (clock) => async () => {
    looks += 1;
    await clock.sleep(1000);
    throw new Error('the mount does not answer');
  });
  expect(looks).toBe(2);
});
