/**
 * Waits for the end of its standard input, a pipe from the mount's process. When it ends before this process, that
 * process was killed and its mount is dead: every access would fail with ENOTCONN until someone unmounts it. The
 * mount is never looked at, only the mount table.
 */
import { text } from 'node:stream/consumers';
import { mountedOn } from '../fuse/mount-table.ts';
import { forceUnmount } from '../fuse/recover-dead-mount.ts';
import { isSvcfs } from './mount/find-mount.ts';

const [mountPoint = ''] = process.argv.slice(2);
// Its process ends by the pipe alone: a signal to everything of a terminal or service must not take both away.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const said = await text(process.stdin);
const watched = /^watch (\d+)$/m.exec(said)?.[1];
const mounted = await mountedOn(mountPoint);
// Someone may have recovered the mount point already: then another mount is there.
const ours = mounted !== undefined && isSvcfs(mounted);
if (ours && (watched === undefined || mounted.deviceMinor === Number(watched)))
  await forceUnmount(mountPoint);
