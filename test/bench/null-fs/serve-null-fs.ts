/** `serve-null-fs.ts svcfs|fuse-native MOUNTPOINT`: a null file system in the foreground, until SIGTERM. */
import { constants } from 'node:fs';
import Fuse from 'fuse-native';
import { mountNative } from '../../../src/fuse/mount-native.ts';
import { errnoNumber } from '../../../src/lib/errno.ts';
import { FsError } from '../../../src/vfs/errors/fs-error.ts';
import { FILE_BYTES, FILE_MODE, NullFileSystem } from './null-file-system.ts';

const [driver, mountPoint = ''] = process.argv.slice(2);
if (driver === 'svcfs') await serveOurs();
else serveFuseNative();

async function serveOurs(): Promise<void> {
  const errnoOf = (error: unknown): number => errnoNumber(error instanceof FsError ? error.errno : 'EIO');
  const mount = await mountNative(new NullFileSystem(), { mountPoint, fsName: 'null', errnoOf });
  process.once('SIGTERM', () => mount.detachNow());
}

/** The package at its best, without our adapter: it starts a timer for each operation unless it is told not to. */
function serveFuseNative(): void {
  const times = { atime: new Date(), mtime: new Date(), ctime: new Date() };
  const owner = { nlink: 1, uid: 0, gid: 0, blocks: 0, ...times };
  const directory = { ...owner, mode: constants.S_IFDIR | 0o755, size: 0 };
  const file = { ...owner, mode: FILE_MODE, size: FILE_BYTES };
  const content = Buffer.alloc(1024 * 1024, 'x');
  const operations: ConstructorParameters<typeof Fuse>[1] = {
    getattr: (path, done) => done(0, path === '/' ? directory : file),
    fgetattr: (_path, _handle, done) => done(0, file),
    truncate: (_path, _size, done) => done(0),
    ftruncate: (_path, _handle, _size, done) => done(0),
    open: (_path, _flags, done) => done(0, 1),
    read: (_path, _handle, into, length, _offset, done) => done(content.copy(into, 0, 0, length)),
    write: (_path, _handle, _data, length, _offset, done) => done(length),
    flush: (_path, _handle, done) => done(0),
    release: (_path, _handle, done) => done(0),
  } as ConstructorParameters<typeof Fuse>[1];
  // The option that makes writes larger than a page has no other way in.
  const fuse = new Fuse(mountPoint, operations, { fsname: 'null,big_writes', timeout: false });
  fuse.mount((error) => {
    if (error !== null) throw error;
  });
  process.once('SIGTERM', () => fuse.unmount(() => process.exit()));
}
