/** The packages of scripts/package, installed into a clean Debian system, where a mount works, boot after boot. */
import { chmod, copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { mustRun, type RunResult, run } from '../support/run.ts';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = join(TOP, 'dist', 'packages');
const CONTAINER = join(TOP, 'scripts', 'container');
const MINUTES = 60_000;
const MIB = 2 ** 20;

let service: DemoServiceProcess;
let root: string;
let removeRoot: () => Promise<unknown>;
let deb: string;
let tarball: string;
beforeAll(async () => {
  await mustRun(join(TOP, 'scripts', 'package'), [], { timeoutMs: 15 * MINUTES });
  const names = await readdir(PACKAGES);
  deb = names.find((name) => name.endsWith('.deb')) ?? '';
  tarball = names.find((name) => name.endsWith('.tgz')) ?? '';
  const directory = dirSync({ prefix: 'root' });
  root = join(directory.name, 'root');
  removeRoot = () => run('rm', ['-rf', '--one-file-system', directory.name]);
  await mustRun('mmdebstrap', ['--quiet', '--variant=apt', 'bookworm', root], { timeoutMs: 10 * MINUTES });
  await copyFile(join(PACKAGES, deb), join(root, 'root', deb));
  await copyFile(join(PACKAGES, tarball), join(root, 'root', tarball));
  service = await startDemoService();
}, 30 * MINUTES);
afterAll(async () => {
  await service?.end();
  await removeRoot?.();
});

/** All that was run in the clean system, and what it said. */
let transcript = '';
afterAll(() => process.stdout.write(transcript));

/** Runs a script as root of the clean system. When it ends, so does all that it began, as at a reboot. */
async function inRoot(script: string): Promise<RunResult> {
  const entered = `
set -eu
mount --bind ${root} ${root}
mount -t proc proc ${root}/proc
[ -c ${root}/dev/fuse ] || mknod -m 666 ${root}/dev/fuse c 10 229
cp /etc/resolv.conf ${root}/etc/resolv.conf
# No variable of this system: npm, for one, takes its settings from them.
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot ${root} /bin/bash --norc -euc "$0"`;
  const result = await run(
    'unshare',
    ['-m', '-p', '-f', '--kill-child', '--propagation', 'private', 'bash', '-c', entered, script],
    { timeoutMs: 10 * MINUTES },
  );
  const shown = script.trim().replaceAll(service.token, 'TOKEN').replaceAll('\n', '\n  ');
  transcript += `# ${shown}\n${result.stdout}${result.stderr}[exit ${result.code}]\n`;
  return result;
}

it('without fuse3 the .deb is not set up, and says what it needs; a mount by a user says it, too', async () => {
  const alone = await inRoot(`dpkg -i /root/${deb}`);
  expect(alone.code).toBe(1);
  expect(alone.stderr).toContain('svcfs depends on fuse3; however:\n  Package fuse3 is not installed.');
  const mounted = await inRoot(`
mkdir -m 700 /home/user; chown nobody /home/user
exec setpriv --reuid nobody --clear-groups env HOME=/home/user SVC_AUTH_TOKEN=${service.token} \\
  bash -c 'mkdir ~/svc; svcfs mount --endpoint ${service.endpoint} ~/svc'`);
  expect(mounted).toMatchObject({
    code: 9,
    stderr: 'svcfs: fusermount3 is needed to mount without being root: install the package fuse3\n',
  });
  expect(await inRoot('dpkg --purge svcfs')).toMatchObject({ code: 0 });
});

it('svcfs is installed from the .deb, logs in, is mounted by fstab, and has its files after a reboot', async () => {
  const installed = await inRoot(
    `export DEBIAN_FRONTEND=noninteractive; apt-get -qq update; apt-get -qq install -y --no-install-recommends /root/${deb} >/root/apt.log 2>&1 || cat /root/apt.log >&2; svcfs --version; man -w svcfs-mount 2>/dev/null || ls /usr/share/man/man8/svcfs-mount.8.gz`,
  );
  expect(installed.stderr).toBe('');
  expect(installed.stdout).toMatch(/^\d+\.\d+\.\d+\n.*svcfs-mount/);
  const first = await inRoot(`
printf '%s' ${service.token} | svcfs login --endpoint ${service.endpoint} --token-file -
mkdir -p /mnt/svc
echo 'default /mnt/svc svcfs _netdev,nofail 0 0' >> /etc/fstab
mount -a
echo 'of the first boot' > /mnt/svc/projects/demo/trio-exomes/boot.txt
umount /mnt/svc`);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  const second = await inRoot('mount -a; cat /mnt/svc/projects/demo/trio-exomes/boot.txt; umount /mnt/svc');
  expect(second).toMatchObject({ code: 0, stdout: 'of the first boot\n', stderr: '' });
});

it('a file that was written before a reboot without a word is on the service after the next mount', async () => {
  const cut = await inRoot(`
mount -t svcfs -o write-back default /mnt/svc
dd if=/dev/urandom of=/tmp/bytes bs=1M count=20 status=none
cp /tmp/bytes /mnt/svc/projects/demo/trio-exomes/cut.bin
sha256sum < /tmp/bytes`);
  expect(cut.code).toBe(0);
  const after = await inRoot(`
mount -t svcfs default /mnt/svc
svcfs flush /mnt/svc >&2
sha256sum < /mnt/svc/projects/demo/trio-exomes/cut.bin
umount /mnt/svc`);
  expect(after).toMatchObject({ code: 0, stdout: cut.stdout });
});

/** The command that the image of scripts/container runs to prepare itself. */
async function stepsOfImage(): Promise<string> {
  const dockerfile = await readFile(join(CONTAINER, 'Dockerfile'), 'utf8');
  const [, command] = /^RUN ((?:.*\\\n)*.*)$/m.exec(dockerfile) ?? [];
  if (command === undefined) throw new Error('the Dockerfile runs nothing');
  return command;
}

/** Waits for the mount of the process `$!`, writes a file, and ends the process while the file is uploaded. */
const WRITE_AND_END = `
until svcfs_status >/dev/null 2>&1; do sleep 0.1; done
svcfs_status | head -1
cp /tmp/bytes "$M/projects/demo/trio-exomes/$NAME"
kill -TERM $!
wait $! && echo "ended well"
! mountpoint -q "$M" && echo unmounted`;

it('the image of scripts/container serves a mount as its user, is healthy, and uploads at SIGTERM', async () => {
  await copyFile(join(PACKAGES, deb), join(root, 'tmp', deb));
  await copyFile(join(CONTAINER, 'mount-and-serve'), join(root, 'root', 'mount-and-serve'));
  const prepared = await inRoot(`{ ${await stepsOfImage()}; } >/root/image.log 2>&1 || cat /root/image.log`);
  expect(prepared).toMatchObject({ code: 0, stdout: '', stderr: '' });
  const environment = `export SVC_API_ENDPOINT=${service.endpoint} SVC_AUTH_TOKEN=${service.token} XDG_STATE_HOME=/var/lib/svcfs/state
as_user() { setpriv --reuid svcfs --regid svcfs --clear-groups env HOME=/var/lib/svcfs "$@"; }
svcfs_status() { as_user svcfs status "$M"; }
dd if=/dev/urandom of=/tmp/bytes bs=1M count=4 status=none; chmod 644 /tmp/bytes
options='--allow-other --quiet --write-back --limit-upload 2M'`;
  const byHelper = await inRoot(`${environment}
M=/mnt/svc NAME=image.bin
setpriv --reuid svcfs --regid svcfs --clear-groups env HOME=/var/lib/svcfs svcfs mount --foreground $options /mnt/svc &
${WRITE_AND_END}`);
  expect(byHelper).toMatchObject({ code: 0, stdout: '/mnt/svc\nended well\nunmounted\n', stderr: '' });
  const byShell = await inRoot(`${environment}
M=/mnt/by-shell NAME=by-shell.bin
mkdir -p $M; HOME=/var/lib/svcfs /root/mount-and-serve $M $options &
${WRITE_AND_END}`);
  expect(byShell).toMatchObject({ code: 0, stdout: '/mnt/by-shell\nended well\nunmounted\n', stderr: '' });
  const there = await inRoot(`mount -t svcfs default /mnt/svc
for name in image by-shell; do stat -c %s /mnt/svc/projects/demo/trio-exomes/$name.bin; done
umount /mnt/svc`);
  expect(there).toMatchObject({ code: 0, stdout: `${4 * MIB}\n${4 * MIB}\n` });
});

it(
  'the npm package is installed without a compiler, and mounts',
  async () => {
    // A Node.js with npm: Debian 12 has none that is new enough.
    const node = join(root, 'opt', 'node');
    await mkdir(join(node, 'bin'), { recursive: true });
    await copyFile(process.execPath, join(node, 'bin', 'node'));
    await chmod(join(node, 'bin', 'node'), 0o755);
    const authorities = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
    await copyFile(authorities, join(node, 'ca.pem'));
    const npm = (await mustRun('npm', ['root', '-g'])).trim();
    await cp(join(npm, 'npm'), join(node, 'lib', 'node_modules', 'npm'), { recursive: true });
    await writeFile(
      join(node, 'bin', 'npm'),
      '#!/bin/sh\nexec /opt/node/bin/node /opt/node/lib/node_modules/npm/bin/npm-cli.js "$@"\n',
      { mode: 0o755 },
    );
    await writeFile(
      join(node, 'bin', 'npx'),
      '#!/bin/sh\nexec /opt/node/bin/node /opt/node/lib/node_modules/npm/bin/npx-cli.js "$@"\n',
      { mode: 0o755 },
    );
    const installed = await inRoot(`
export PATH=/opt/node/bin:$PATH NODE_EXTRA_CA_CERTS=/opt/node/ca.pem
! command -v g++
npm install --silent --prefix /opt/svcfs --omit=optional /root/${tarball}
mkdir -p /mnt/npm
/opt/svcfs/node_modules/.bin/svcfs mount --quiet /mnt/npm
cat /mnt/npm/projects/demo/trio-exomes/boot.txt
/opt/svcfs/node_modules/.bin/svcfs unmount /mnt/npm`);
    expect(installed).toMatchObject({ code: 0, stdout: 'of the first boot\n' });
    const tried = await inRoot(`
export PATH=/opt/node/bin:$PATH NODE_EXTRA_CA_CERTS=/opt/node/ca.pem
cd /tmp
npx --yes --package /root/${tarball} svcfs mount --quiet /mnt/npm
cat /mnt/npm/projects/demo/trio-exomes/boot.txt
npx --yes --package /root/${tarball} svcfs unmount /mnt/npm`);
    expect(tried).toMatchObject({ code: 0, stdout: 'of the first boot\n' });
  },
  10 * MINUTES,
);

it('the .deb leaves nothing when it is purged', async () => {
  const purged = await inRoot(
    'apt-get -qq purge -y svcfs >/dev/null 2>&1; ls -d /usr/lib/svcfs /usr/sbin/mount.svcfs 2>/dev/null || echo nothing',
  );
  expect(purged.stdout).toBe('nothing\n');
});
