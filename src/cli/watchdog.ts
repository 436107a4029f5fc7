/**
 * The work of the watchdog when the mount's process ended before it: that was killed, and its mount is dead. Every access
 * would fail with ENOTCONN until a user unmounts it, or wait for ever where the kernel keeps a thread of the process. The
 * watchdog reads the mount table only, and never looks at the mount.
 *
 * Arguments: the mount point, its state directory, and the minor number of the mount's st_dev, empty when it was not
 * told.
 */
import { isSvcfs, mountedOn } from '../fuse/mount-table.ts';
import { forceUnmount } from '../fuse/recover-dead-mount.ts';
import { isHeldToMount } from './mount/lock-holder.ts';

const [mountPoint = '', state = '', watched = ''] = process.argv.slice(2);
const mounted = await mountedOn(mountPoint);
// Someone may have recovered the mount point already: then another mount is there, perhaps with the number of the first. Its
// process has the lock before it mounts.
const ours = mounted !== undefined && isSvcfs(mounted) && !(await isHeldToMount(state).catch(() => false));
if (ours && (watched === '' || mounted.deviceMinor === Number(watched))) await forceUnmount(mountPoint);
