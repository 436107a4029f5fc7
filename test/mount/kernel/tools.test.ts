import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../../support/wait-until.ts';
import { ServedMount } from './served-mount.ts';

/** Every opcode that the native driver answers other than ENOSYS and that a program can bring about here. */
const REACHABLE = [
  'LOOKUP GETATTR SETATTR READLINK SYMLINK MKNOD MKDIR UNLINK RMDIR RENAME RENAME2 LINK OPEN READ WRITE STATFS',
  'RELEASE FSYNC SETXATTR GETXATTR LISTXATTR REMOVEXATTR FLUSH INIT OPENDIR READDIRPLUS RELEASEDIR',
  'FSYNCDIR CREATE IOCTL FALLOCATE LSEEK COPY_FILE_RANGE_64',
]
  .join(' ')
  .split(' ');

describe('real tools on a mount', () => {
  let mount: ServedMount;

  beforeAll(async () => {
    mount = await ServedMount.start();
  });

  afterAll(async () => {
    await mount.call('release');
    await mount.call('unmount');
    await mount.stop();
  });

  const shell = async (script: string): Promise<string> => {
    const { code, stdout, stderr } = await mount.shell(script);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    return stdout;
  };

  it('is seen as a file system of its own type', async () => {
    expect(await shell('stat -f -c %T . && findmnt -n -o FSTYPE,SOURCE,OPTIONS --target .')).toMatch(
      /fuse.svcfs +svcfs-test +rw,nosuid,nodev,.*default_permissions/,
    );
  });

  it('creates, appends, truncates and reads', async () => {
    expect(await shell('echo one > a; echo two >> a; cat a; truncate -s 3 a; cat a; stat -c %s a')).toBe(
      'one\ntwo\none3\n',
    );
  });

  it('makes and removes directories, and lists thousands of entries', async () => {
    await shell('mkdir -p d/e/f; rmdir d/e/f; mkdir many; cd many; seq 3000 | xargs touch');
    expect(await shell('ls many | wc -l; ls -l many | tail -n +2 | wc -l; rm -r many d; ls')).toBe(
      '3000\n3000\na\nstalled\n',
    );
  });

  it('renames within and across directories, and over a target', async () => {
    expect(
      await shell(
        'mkdir r; echo x > r/x; mv r/x y; echo z > r/z; mv -f r/z y; cat y; mv -n y r; ls r; rm -r r',
      ),
    ).toBe('z\ny\n');
  });

  it('keeps times to the nanosecond, modes and owners', async () => {
    expect(
      await shell(
        'touch -d 1969-07-20T20:17:40.123456789Z t; TZ=UTC stat -c %y t; chmod 640 t; chown 12:34 t; stat -c %a:%u:%g t; rm t',
      ),
    ).toBe('1969-07-20 20:17:40.123456789 +0000\n640:12:34\n');
  });

  it('stores symbolic links, and refuses hard ones', async () => {
    expect(await shell('ln -s /some/where l; readlink l; rm l; ln a b 2>&1 || true')).toMatch(
      /^\/some\/where\n.*Operation not permitted\n$/,
    );
  });

  it('stores, lists and removes attributes', async () => {
    expect(
      await shell(
        'setfattr -n user.k -v v a; setfattr -n user.long -v "$(seq 2000)" a; getfattr --only-values -n user.long a | wc -l; setfattr -x user.long a; getfattr -d a; cp --preserve=xattr a copy; getfattr --only-values -n user.k copy; rm copy',
      ),
    ).toBe('1999\n# file: a\nuser.k="v"\n\nv');
  });

  it('copies within the mount without a byte passing through the program', async () => {
    const before = await mount.call<Record<string, number>>('operations');
    await shell('seq 100000 > big; cp big copied; cmp big copied');
    const after = await mount.call<Record<string, number>>('operations');
    expect(after['COPY_FILE_RANGE_64']).toBeGreaterThan(before['COPY_FILE_RANGE_64'] ?? 0);
    await shell('rm big copied');
  });

  it('takes writes of 1 MiB, and reads of half as much', async () => {
    const before = await mount.call<Record<string, number>>('operations');
    const sum = await shell(
      'head -c 8M /dev/urandom > /tmp/$$; dd if=/tmp/$$ of=direct bs=1M oflag=direct status=none; dd if=direct bs=1M iflag=direct status=none | cmp - /tmp/$$; rm /tmp/$$ direct; echo same',
    );
    const after = await mount.call<Record<string, number>>('operations');
    expect(sum).toBe('same\n');
    expect((after['WRITE'] ?? 0) - (before['WRITE'] ?? 0)).toBe(8);
    expect((after['READ'] ?? 0) - (before['READ'] ?? 0)).toBeLessThanOrEqual(17);
  });

  it('unpacks and packs archives', async () => {
    expect(
      await shell(
        'tar -C /usr/include -cf - linux | tar -xf -; diff -r /usr/include/linux linux && tar -cf - linux | tar -tf - | wc -l | xargs test 100 -lt; rm -r linux; echo ok',
      ),
    ).toBe('ok\n');
  });

  it('syncs, allocates, seeks holes and answers ENOTTY to what is not a terminal', async () => {
    const python = `
import os, fcntl
f = os.open("p", os.O_RDWR | os.O_CREAT)
os.posix_fallocate(f, 0, 100)
print(os.fstat(f).st_size, os.lseek(f, 0, os.SEEK_DATA), os.lseek(f, 0, os.SEEK_HOLE))
try: fcntl.ioctl(f, 0x5401, bytes(64))
except OSError as e: print(e.errno)
os.fsync(f); os.fdatasync(f)
d = os.open(".", os.O_RDONLY); os.fsync(d)
print(os.statvfs(".").f_namemax)
try: os.mkfifo("fifo")
except OSError as e: print(e.errno)
os.mknod("node", 0o100600); os.unlink("node"); os.unlink("p")
import select
print(len(select.select([f], [f], [])[0]))`;
    expect(await shell(`python3 -c '${python}'`)).toBe('100 0 100\n25\n255\n1\n1\n');
  });

  it('reads through a map and writes through one', async () => {
    const python = `
import mmap
with open("m", "wb") as f: f.write(bytes(8192))
with open("m", "r+b") as f:
    m = mmap.mmap(f.fileno(), 8192); m[5000:5005] = b"hello"; m.flush(); m.close()
with open("m", "rb") as f: f.seek(5000); print(f.read(5))`;
    expect(await shell(`python3 -c '${python}'; rm m`)).toBe("b'hello'\n");
  });

  it('answers EIO for what a handler throws by mistake, and goes on', async () => {
    const { stderr } = await mount.shell('ls bug; true');
    expect(stderr).toMatch(/Input\/output error/);
    expect((await mount.shell('ls rejection; true')).stderr).toMatch(/Input\/output error/);
    expect(await shell('cat a')).toBe('one');
  });

  it('has seen every operation by now', async () => {
    const seen = await mount.call<Record<string, number>>('operations');
    expect(REACHABLE.filter((operation) => !(operation in seen))).toEqual([]);
  });

  it('holds no handle, and no reference beyond what the kernel still remembers', async () => {
    await waitUntil(async () => (await mount.call<{ handles: number }>('references')).handles === 0);
    await shell('cd /; sync; echo 2 > /proc/sys/vm/drop_caches');
    await waitUntil(async () => (await mount.call<{ lookups: number }>('references')).lookups <= 2);
  });
});
