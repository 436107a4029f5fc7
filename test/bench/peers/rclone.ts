import { join } from 'node:path';
import type { ServerSide } from '../server/server-side.ts';
import { mountInForeground } from './foreground-mount.ts';
import type { MountPeer } from './mounted.ts';

/** What the caches keep is kept as long as svcfs does; nothing is written back later than need be. */
const OPTIONS = [
  '--dir-cache-time',
  '60s',
  '--attr-timeout',
  '60s',
  '--vfs-write-back',
  '0s',
  '--buffer-size',
  '64M',
];

/** `rclone mount` of nginx by WebDAV. */
export function rclone(
  mode: 'off' | 'full',
  { directory, server }: { readonly directory: string; readonly server: ServerSide },
): MountPeer {
  return {
    name: `rclone (${mode})`,
    mount: ({ latencyMs }) =>
      mountInForeground({
        command: 'rclone',
        args: (mountPoint, work) => [
          'mount',
          ':webdav:',
          mountPoint,
          '--webdav-url',
          `http://127.0.0.1:${server.port('dav', latencyMs)}/`,
          '--config',
          join(work, 'rclone.conf'),
          '--cache-dir',
          join(work, 'cache'),
          '--vfs-cache-mode',
          mode,
          ...OPTIONS,
          ...(mode === 'full' ? ['--vfs-read-ahead', '256M'] : []),
        ],
        directory,
        server,
        door: 'dav',
      }),
  };
}
