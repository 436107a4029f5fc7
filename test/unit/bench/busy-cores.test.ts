import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { busyCores, whyNotQuiet } from '../../bench/measure/busy-cores.ts';

test('a process that only turns makes a core busy', async () => {
  const turning = spawn(process.execPath, ['-e', 'process.stdout.write("turning"); for (;;);'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(turning.stdout, 'data');
    // Not all of a core: the host may have some of it, which the kernel counts as nobody's.
    expect(await busyCores(1000)).toBeGreaterThan(0.5);
  } finally {
    turning.kill();
    await once(turning, 'exit');
  }
});

test('a busy machine is named with how busy it is, and a quiet one is not', () => {
  expect(whyNotQuiet(0.1)).toBeUndefined();
  expect(whyNotQuiet(1.5)).toMatch(/^1\.5 of \d+ cores are busy with something else: /);
});
