import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mountedOn } from '../../../src/fuse/mount-table.ts';
import { run } from '../../support/run.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { Child } from '../measure/child.ts';
import { usageOf } from '../measure/process-usage.ts';
import type { Door, ServerAt } from '../server/server-side.ts';
import type { Mounted } from './mounted.ts';

export interface ForegroundMount {
  readonly command: string;
  /** Given the mount point and a directory of its own. */
  readonly args: (mountPoint: string, work: string) => readonly string[];
  /** Added to this process's environment; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly server: ServerAt;
  readonly door: Door;
}

const LONGEST_UPLOAD_MS = 600_000;

/** Mounts with a program that stays in the foreground. */
export async function mountInForeground(options: ForegroundMount): Promise<Mounted> {
  const { command, args, env = {}, directory, server, door } = options;
  const work = await mkdtemp(join(directory, `${command}-`));
  const mountPoint = join(work, 'mnt');
  await mkdir(mountPoint);
  const child = await Child.start(command, args(mountPoint, work), {
    log: join(directory, `${command}.log`),
    env,
  });
  await waitUntil(
    async () => {
      if (!child.running) throw new Error(`${command} has ended; see ${directory}/${command}.log`);
      return (await mountedOn(mountPoint)) !== undefined;
    },
    { what: `${command} on ${mountPoint}` },
  );
  return {
    path: (path) => join(mountPoint, path),
    usage: () => usageOf([child.pid]),
    counts: () => server.counts(door),
    settled: async (name, sizeBytes) => {
      const size = (): Promise<number> =>
        stat(join(server.dataSet.tree, name)).then(
          (stats) => stats.size,
          () => 0,
        );
      const what = `${name} on the server`;
      await waitUntil(async () => (await size()) === sizeBytes, {
        what,
        timeoutMs: LONGEST_UPLOAD_MS,
        everyMs: 5,
      });
    },
    unmount: async () => {
      const { code } = await run('umount', [mountPoint]);
      if (code !== 0) await run('umount', ['-l', mountPoint]);
      await child.end();
      await rm(work, { recursive: true, force: true });
    },
  };
}
