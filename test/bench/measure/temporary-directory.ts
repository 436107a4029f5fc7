import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface TemporaryDirectory {
  readonly path: string;
  remove(): Promise<void>;
}

/** A directory that goes even when this process is told to end in the middle, with the mounts below it. */
export async function temporaryDirectory(parent: string, prefix: string): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(parent, prefix));
  const removeNow = (): void => {
    for (const mountPoint of mountsBelow(path)) spawnSync('umount', ['-l', mountPoint]);
    // Mount processes end by themselves when their mount is gone, and may still write a last line.
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  };
  process.once('exit', removeNow);
  return {
    path,
    remove: async () => {
      process.off('exit', removeNow);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function mountsBelow(path: string): readonly string[] {
  const lines = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  return lines.map((line) => line.split(' ')[1] ?? '').filter((point) => point.startsWith(`${path}/`));
}
