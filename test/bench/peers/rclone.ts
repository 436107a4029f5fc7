import { join } from 'node:path';
import { BUCKET } from '../server/data-set.ts';
import type { ServerAt } from '../server/server-side.ts';
import { mountInForeground } from './foreground-mount.ts';
import type { MountPeer } from './mounted.ts';

export type CacheMode = 'off' | 'full';
type Protocol = 'WebDAV' | 'S3';

/** Its caches keep bytes as long as those of svcfs do; it writes back as soon as it can. */
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

/** No request but those that move bytes: none for a time of modification, and none to check what was sent. */
const S3_REQUESTS = ['--use-server-modtime', '--s3-no-check-bucket', '--s3-no-head', '--s3-no-head-object'];
/** Its defaults are 4 parts of 5 MiB, and 4 files. */
const S3_UPLOADS = ['--s3-upload-concurrency', '16', '--s3-chunk-size', '16M', '--transfers', '16'];
/** The server's ETags do not depend on content, and an MD5 of the streamed bytes would slow rclone down. */
const S3_CHECKS = ['--no-checksum', '--ignore-checksum', '--size-only', '--s3-disable-checksum'];

const DOORS = { WebDAV: 'dav', S3: 's3' } as const satisfies Record<Protocol, string>;

/** `rclone (off)` and `rclone (full)` by WebDAV, `rclone (off, S3)` and `rclone (full, S3)`. */
export function rcloneName(mode: CacheMode, protocol: Protocol): string {
  return protocol === 'WebDAV' ? `rclone (${mode})` : `rclone (${mode}, ${protocol})`;
}

/** Both ways: judged is the faster one. */
export function rcloneNames(...modes: readonly CacheMode[]): readonly string[] {
  return modes.flatMap((mode) => [rcloneName(mode, 'WebDAV'), rcloneName(mode, 'S3')]);
}

/**
 * `rclone mount` of nginx.
 *
 * By WebDAV, Debian's version sends a request every 10 ms at the most: the pacer of that backend has no option before 1.63
 * (`--webdav-pacer-min-sleep`). The one for S3 waits after errors alone.
 */
export function rclone(
  mode: CacheMode,
  {
    directory,
    server,
    protocol = 'WebDAV',
  }: { readonly directory: string; readonly server: ServerAt; readonly protocol?: Protocol },
): MountPeer {
  const door = DOORS[protocol];
  return {
    name: rcloneName(mode, protocol),
    mount: () =>
      mountInForeground({
        command: 'rclone',
        args: (mountPoint, work) => [
          'mount',
          ...remote(protocol, `${server.origin(door)}/`),
          mountPoint,
          '--config',
          join(work, 'rclone.conf'),
          '--cache-dir',
          join(work, 'cache'),
          '--vfs-cache-mode',
          mode,
          '--ca-cert',
          server.certificate,
          ...OPTIONS,
          ...(mode === 'full' ? ['--vfs-read-ahead', '256M'] : []),
        ],
        // With it, rclone has no transport that its S3 library takes.
        env: { AWS_CA_BUNDLE: undefined },
        directory,
        server,
        door,
      }),
  };
}

function remote(protocol: Protocol, url: string): readonly string[] {
  if (protocol === 'WebDAV') return [':webdav:', '--webdav-url', url];
  const keys = ['--s3-access-key-id', 'bench', '--s3-secret-access-key', 'bench'];
  const endpoint = ['--s3-provider', 'Other', '--s3-endpoint', url, ...keys];
  return [`:s3:${BUCKET}`, ...endpoint, ...S3_REQUESTS, ...S3_UPLOADS, ...S3_CHECKS];
}
