import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { jobOf } from '../../../src/lib/process-table.ts';

it('tells the process group of a program and of what it starts: a job of a shell', async () => {
  const shell = spawn('bash', ['-c', 'sleep 600 & echo $!; wait'], { detached: true });
  const [line] = await once(shell.stdout, 'data');
  const child = Number(String(line));
  expect(jobOf(child)).toEqual({ process: child, group: shell.pid });
  expect(jobOf(2 ** 30)).toBeUndefined();
  expect(jobOf(process.pid)?.group).not.toBe(shell.pid);
  process.kill(-(shell.pid ?? 0), 'SIGTERM');
  await once(shell, 'close');
});
