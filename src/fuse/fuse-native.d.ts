/**
 * The part of the npm package fuse-native 2.2.6 that is used here; the package has no types. Errors are negative errnos,
 * 0 for success.
 */
declare module 'fuse-native' {
  type Done<Value = undefined> = (error: number, value?: Value) => void;

  interface Stat {
    mode: number;
    nlink: number;
    uid: number;
    gid: number;
    size: number;
    blocks: number;
    atime: Date;
    mtime: Date;
    ctime: Date;
  }

  interface Statfs {
    bsize: number;
    frsize: number;
    blocks: number;
    bfree: number;
    bavail: number;
    files: number;
    ffree: number;
    favail: number;
    namemax: number;
  }

  interface Operations {
    getattr(path: string, done: Done<Stat>): void;
    fgetattr(path: string, handle: number, done: Done<Stat>): void;
    statfs(path: string, done: Done<Statfs>): void;
    opendir(path: string, flags: number, done: Done<number>): void;
    readdir(path: string, done: Done<string[]>): void;
    readlink(path: string, done: Done<string>): void;
    open(path: string, flags: number, done: Done<number>): void;
    create(path: string, mode: number, done: Done<number>): void;
    read(
      path: string,
      handle: number,
      into: Buffer,
      length: number,
      offset: number,
      done: Done<number>,
    ): void;
    write(
      path: string,
      handle: number,
      data: Buffer,
      length: number,
      offset: number,
      done: Done<number>,
    ): void;
    flush(path: string, handle: number, done: Done): void;
    fsync(path: string, dataOnly: number, handle: number, done: Done): void;
    release(path: string, handle: number, done: Done): void;
    truncate(path: string, size: number, done: Done): void;
    ftruncate(path: string, handle: number, size: number, done: Done): void;
    /** Both in milliseconds; a defect of the package passes the access time twice. */
    utimens(path: string, atimeMs: number, mtimeMs: number, done: Done): void;
    chmod(path: string, mode: number, done: Done): void;
    chown(path: string, uid: number, gid: number, done: Done): void;
    mknod(path: string, mode: number, device: number, done: Done): void;
    mkdir(path: string, mode: number, done: Done): void;
    rmdir(path: string, done: Done): void;
    unlink(path: string, done: Done): void;
    rename(from: string, to: string, done: Done): void;
    symlink(target: string, path: string, done: Done): void;
    setxattr(path: string, name: string, value: Buffer, position: number, flags: number, done: Done): void;
    getxattr(path: string, name: string, position: number, done: Done<Buffer>): void;
    listxattr(path: string, done: Done<string[]>): void;
    removexattr(path: string, name: string, done: Done): void;
  }

  interface Options {
    fsname?: string;
    allowOther?: boolean;
    defaultPermissions?: boolean;
    /** Milliseconds until ETIMEDOUT per operation; false waits. */
    timeout?: number | false;
  }

  export default class Fuse {
    constructor(mountPoint: string, operations: Operations, options: Options);
    mount(done: (error: Error | null) => void): void;
    unmount(done: (error: Error | null) => void): void;
  }
}
