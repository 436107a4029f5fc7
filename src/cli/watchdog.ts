/**
 * What the watchdog does when the mount's process ended before it: that was killed, and its mount is dead. Every access
 * would fail with ENOTCONN until someone unmounts it. The mount is never looked at, only the mount table.
 *
 * Arguments: the mount point, its control socket, and the minor number of the mount's st_dev, empty when it was not told.
 */
import { mountedOn } from '../fuse/mount-table.ts';
import { forceUnmount } from '../fuse/recover-dead-mount.ts';
import { isSvcfs } from './mount/find-mount.ts';
import { isListenedAt } from './mount/is-listened-at.ts';

const [mountPoint = '', socket = '', watched = ''] = process.argv.slice(2);
const mounted = await mountedOn(mountPoint);
// Someone may have recovered the mount point already: then another mount is there, perhaps with the number of the first.
const ours = mounted !== undefined && isSvcfs(mounted) && !(await isListenedAt(socket).catch(() => false));
if (ours && (watched === '' || mounted.deviceMinor === Number(watched))) await forceUnmount(mountPoint);
