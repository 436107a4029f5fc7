import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mustRun, run } from '../../support/run.ts';
import { pidsWith, usageOf } from '../measure/process-usage.ts';
import type { Door, ServerAt } from '../server/server-side.ts';
import type { MountPeer } from './mounted.ts';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

export interface SvcfsOptions {
  readonly directory: string;
  readonly server: ServerAt;
  /** `service`: bytes come from and go to the service itself. */
  readonly door: Extract<Door, 'platform' | 'extended' | 'service'>;
  readonly name?: string;
  readonly memoryMib?: number;
  readonly args?: readonly string[];
}

/** The facts about a file come with its link, by the door `extended`. */
export const WITH_FACTS = 'svcfs (download_info_file)';
/** The most it takes unasked; said, because it takes less on a machine that has not four times as much available. */
export const MEMORY_MIB = 1024;

/** This project, as the command mounts it. */
export function svcfs({
  directory,
  server,
  door,
  name = 'svcfs',
  memoryMib = MEMORY_MIB,
  args = [],
}: SvcfsOptions): MountPeer {
  return {
    name,
    mount: async () => {
      const home = await mkdtemp(join(directory, 'svcfs-'));
      const mountPoint = join(home, 'mnt');
      await mkdir(mountPoint);
      const env = {
        HOME: home,
        XDG_STATE_HOME: join(home, 'state'),
        SVC_API_ENDPOINT: `${server.origin(door)}/v2`,
        SVC_AUTH_TOKEN: server.dataSet.token,
      };
      const fixed = ['--memory', `${memoryMib}M`, '--ca-file', server.certificate];
      await mustRun(process.execPath, [MAIN, 'mount', mountPoint, ...fixed, ...args], { env });
      const pids = await pidsWith(`HOME=${home}`);
      return {
        path: (path) => join(mountPoint, server.dataSet.projectPath, path),
        usage: () => usageOf(pids),
        counts: () => server.counts(door),
        settled: () => Promise.resolve(),
        unmount: async () => {
          const { code } = await run(process.execPath, [MAIN, 'unmount', mountPoint], {
            env,
            timeoutMs: 300_000,
          });
          if (code !== 0) await run('umount', ['-l', mountPoint]);
          await rm(home, { recursive: true, force: true });
        },
      };
    },
  };
}
