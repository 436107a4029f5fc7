/** A mount that a privileged process makes, and svcfs serves by a descriptor without any privilege: `svcfs mount /dev/fd/N`. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, test as base, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { type RunResult, run } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const NOBODY = 65534;
const FOLDER = 'projects/demo/trio-exomes';
const MIB = 2 ** 20;

/** The account of an ordinary user. */
const test = base.extend<{ sandbox: Sandbox }>({
  sandbox: async ({ task }, use) => {
    const sandbox = await Sandbox.create({ uid: NOBODY });
    await use(sandbox);
    if (task.result?.state === 'fail') process.stderr.write(`${await sandbox.describe()}\n`);
    await run('umount', ['-i', '-l', sandbox.mountPoint]);
    await sandbox.clean();
  },
});

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

const OPEN = 'exec 3<>/dev/fuse';
const MOUNT = `mount -i -t fuse.svcfs -o fd=3,rootmode=40000,user_id=${NOBODY},group_id=${NOBODY},default_permissions,allow_other svcfs "$M"`;
/** The user has no privilege, and no way to get any: neither capabilities nor set-user-ID programs. */
const AS_USER = `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs --bounding-set=-all`;

/** A script of the privileged parent. */
function parent(
  sandbox: Sandbox,
  script: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  const svcfs = `${AS_USER} ${process.execPath} ${MAIN}`;
  return run('bash', ['-euc', script.replaceAll('SVCFS', svcfs)], {
    env: { ...sandbox.env, ...service.credentials, M: sandbox.mountPoint, ...env },
  });
}

const serve = (sandbox: Sandbox, options = ''): Promise<RunResult> =>
  parent(sandbox, `${OPEN}; ${MOUNT}; SVCFS mount /dev/fd/3 --allow-other ${options}`);

async function ended(sandbox: Sandbox): Promise<void> {
  await waitUntil(async () => (await sandbox.processes()).length === 0, { what: 'the end of its process' });
}

/** From what another mount of the same user reads. */
async function contentOnService(sandbox: Sandbox, name: string): Promise<Buffer> {
  expect(await serve(sandbox)).toMatchObject({ code: 0 });
  return readFile(sandbox.path(FOLDER, name));
}

describe.skipIf(process.getuid?.() !== 0)('a descriptor of /dev/fuse that a parent has mounted', () => {
  test('is served by an ordinary user: programs write and read, and status and why know the mount', async ({
    sandbox,
  }) => {
    const started = await serve(sandbox);
    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(started.stdout).toContain(` on ${sandbox.mountPoint}\n`);
    const bytes = randomBytes(20 * MIB + 1);
    await writeFile(sandbox.path(FOLDER, 'passed.bin'), bytes);
    expect((await readFile(sandbox.path(FOLDER, 'passed.bin'))).equals(bytes)).toBe(true);
    expect((await run('ls', [sandbox.path('projects')], { uid: NOBODY, gid: NOBODY })).stdout).toBe('demo\n');
    expect((await sandbox.svcfs(['status'])).stdout).toMatch(new RegExp(`^${sandbox.mountPoint}\n`));
    const why = await sandbox.svcfs(['why', sandbox.path(FOLDER)]);
    expect(why.stdout).toBe(`nothing has failed at /${FOLDER}\n`);
    // umount(8), which is set-user-ID, lets the user whose mount(2) names it.
    expect(await sandbox.svcfs(['unmount', sandbox.mountPoint])).toMatchObject({ code: 0, stderr: '' });
    expect(await sandbox.processes()).toEqual([]);
    expect(await mountedOn(sandbox.mountPoint)).toBeUndefined();
  });

  test('uploads what is left when the parent unmounts, and its process ends then', async ({ sandbox }) => {
    expect(await serve(sandbox, '--write-back --limit-upload 2M')).toMatchObject({ code: 0 });
    const bytes = randomBytes(4 * MIB);
    await writeFile(sandbox.path(FOLDER, 'left.bin'), bytes);
    expect(await run('umount', ['-i', sandbox.mountPoint])).toMatchObject({ code: 0 });
    expect(await sandbox.processes()).not.toEqual([]);
    await ended(sandbox);
    expect((await contentOnService(sandbox, 'left.bin')).equals(bytes)).toBe(true);
  });

  test('SIGTERM: what is left is uploaded, then the mount is let go of, which the parent unmounts', async ({
    sandbox,
  }) => {
    expect(await serve(sandbox, '--write-back --limit-upload 2M')).toMatchObject({ code: 0 });
    const bytes = randomBytes(4 * MIB);
    await writeFile(sandbox.path(FOLDER, 'told.bin'), bytes);
    const [daemon] = await sandbox.processes();
    process.kill(daemon?.pid ?? 0, 'SIGTERM');
    await ended(sandbox);
    expect(await mountedOn(sandbox.mountPoint)).toBeDefined();
    await expect(readFile(sandbox.path(FOLDER, 'told.bin'))).rejects.toThrow('ENOTCONN');
    await run('umount', ['-i', sandbox.mountPoint]);
    expect((await contentOnService(sandbox, 'told.bin')).equals(bytes)).toBe(true);
  });

  test('in the foreground it ends with the mount, with 0', async ({ sandbox }) => {
    const script = `${OPEN}; ${MOUNT}; SVCFS mount --foreground --allow-other /dev/fd/3 & exec 3>&-
      until ls "$M" | grep -q projects; do sleep 0.1; done; umount -i "$M"; wait $!`;
    expect(await parent(sandbox, script)).toMatchObject({ code: 0, stderr: '' });
    expect(await sandbox.processes()).toEqual([]);
  });

  test('svcfs unmount waits for uploads, and then says who has to unmount; root may, by umount too', async ({
    sandbox,
  }) => {
    expect(await serve(sandbox, '--write-back --limit-upload 2M')).toMatchObject({ code: 0 });
    await writeFile(sandbox.path(FOLDER, 'waited.bin'), randomBytes(3 * MIB));
    const refused = await parent(sandbox, 'SVCFS unmount "$M"');
    expect(refused.code).toBe(11);
    expect(refused.stderr).toMatch(
      /waiting for[\s\S]*must be superuser to unmount[\s\S]*; kill \d+ lets go of it/,
    );
    // Its home is another one, as that of a parent is.
    const byRoot = await run(process.execPath, [MAIN, 'unmount', sandbox.mountPoint], {
      env: { ...sandbox.env, XDG_STATE_HOME: join(sandbox.root, 'of-root') },
    });
    expect(byRoot).toMatchObject({ code: 0 });
    expect(byRoot.stderr).toContain('unmounted; its process, of another user, goes on until all is uploaded');
    await ended(sandbox);
  });

  test('a mount of another mount namespace goes by /dev/fd/N, and by --mounted-on', async ({ sandbox }) => {
    // The parent keeps the mount to itself; svcfs enters the namespace of before.
    const elsewhere = (options: string): Promise<RunResult> =>
      parent(
        sandbox,
        `exec 4</proc/self/ns/mnt; ${OPEN}; export M
        unshare -m --propagation private bash -euc '
          ${MOUNT}
          nsenter --mount=/dev/fd/4 SVCFS mount /dev/fd/3 --allow-other ${options}
          exec 3>&- 4>&-
          echo text > "$M/${FOLDER}/elsewhere.txt"; cat "$M/${FOLDER}/elsewhere.txt"
          nsenter --mount=/proc/$PPID/ns/mnt SVCFS why ${options ? '/elsewhere' : '/dev/fd/3'}/${FOLDER}
          nsenter --mount=/proc/$PPID/ns/mnt SVCFS unmount ${options ? '/elsewhere' : '/dev/fd/3'} || echo "exit $?"
          umount -i "$M"'`,
      );
    const told = await elsewhere('');
    expect(told.stdout).toMatch(
      / on \/dev\/fd\/3\n[\s\S]*\ntext\nnothing has failed at \/projects\/[\s\S]*\nexit 11\n$/,
    );
    expect(told.stderr).toMatch(
      /^svcfs: \/dev\/fd\/3: the process that mounted it has to unmount it; kill \d+ lets go of it$/m,
    );
    await ended(sandbox);
    const named = await elsewhere('--mounted-on /elsewhere');
    expect(named.stdout).toMatch(
      / on \/elsewhere\n[\s\S]*\ntext\nnothing has failed at \/projects\/[\s\S]*\nexit 11\n$/,
    );
    await ended(sandbox);
  });

  test('Ctrl-C stops a program of another PID namespace, where numbers mean other processes here', async ({
    sandbox,
  }) => {
    await serve(sandbox);
    await writeFile(sandbox.path(FOLDER, 'slow.bin'), randomBytes(8 * MIB));
    await run('umount', ['-i', sandbox.mountPoint]);
    await ended(sandbox);
    // Direct: of a program that waits for read-ahead the kernel reports no signals.
    const reader = `import mmap, os, signal, sys
signal.signal(signal.SIGINT, lambda *_: sys.exit(9))
os.readv(os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), [mmap.mmap(-1, ${MIB})])`;
    const told = await parent(
      sandbox,
      `${OPEN}; export M; cd "$HOME"; mkfifo mounted served
      unshare -m -p --fork --kill-child --mount-proc --propagation private bash -euc '
        ${MOUNT}
        exec 3>&-
        echo yes > mounted; read -r _ < served
        timeout -k 20 -s INT 2 python3 -c "$READER" "$M/${FOLDER}/slow.bin" || echo "exit $?"
        umount -i "$M"' &
      read -r _ < mounted
      SVCFS mount /dev/fd/3 --allow-other --limit-download 1K >&2
      exec 3>&-
      echo yes > served
      wait`,
      { READER: reader },
    );
    expect(told.stdout).toBe('exit 124\n');
  });

  test('svcfs unmount --force lets go of it at once', async ({ sandbox }) => {
    expect(await serve(sandbox)).toMatchObject({ code: 0 });
    expect(await sandbox.svcfs(['unmount', '--force', sandbox.mountPoint])).toMatchObject({ code: 0 });
    expect(await sandbox.processes()).toEqual([]);
    await expect(readFile(sandbox.path('.svcfs/version'))).rejects.toThrow('ENOTCONN');
  });
});

describe('a descriptor that is none of a mount is refused, with what has to be done', () => {
  const remedy = / opens \/dev\/fuse, gives the descriptor to mount\(2\), and passes it on/;

  test.each([
    ['is not open', 'SVCFS mount /dev/fd/29', /^svcfs: \/dev\/fd\/29: no such descriptor is open: /],
    [
      'is a file',
      'exec 3</dev/null; SVCFS mount /dev/fd/3',
      /^svcfs: \/dev\/fd\/3: not a descriptor of \/dev\/fuse: /,
    ],
    [
      'is not mounted',
      `${OPEN}; SVCFS mount /dev/fd/3`,
      /^svcfs: \/dev\/fd\/3: no mount belongs to the descriptor: /,
    ],
    [
      'is served already',
      `${OPEN}; ${MOUNT}; SVCFS mount --mounted-on /one /dev/fd/3; SVCFS mount --mounted-on /two /dev/fd/3`,
      /^svcfs: \/two: no mount belongs to the descriptor: /,
    ],
  ])('it %s', async (_, script, line) => {
    const sandbox = await Sandbox.create({ uid: NOBODY });
    onTestFinished(async () => {
      await run('umount', ['-i', '-l', sandbox.mountPoint]);
      await sandbox.clean();
    });
    const told = await parent(sandbox, script);
    expect(told).toMatchObject({ code: 6 });
    expect(told.stderr).toMatch(line);
    expect(told.stderr).toMatch(remedy);
    expect(told.stderr.split('\n').length).toBe(2);
  });

  test('options that mount(2) has the say of are refused', async ({ sandbox }) => {
    const told = await parent(sandbox, `${OPEN}; SVCFS mount /dev/fd/3 --noexec`);
    expect(told).toMatchObject({ code: 2 });
    expect(told.stderr).toContain(
      '--noexec does not go with /dev/fd/3: give it to the mount(2) that mounts it',
    );
    const stray = await parent(sandbox, 'SVCFS mount "$M" --mounted-on /mnt');
    expect(stray).toMatchObject({ code: 2 });
    expect(stray.stderr).toContain('--mounted-on goes with /dev/fd/N');
  });
});
