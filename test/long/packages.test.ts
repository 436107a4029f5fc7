/** The packages of scripts/package, installed into a clean Debian system, where a mount works, boot after boot. */
import { chmod, copyFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { mustRun, type RunResult, run } from '../support/run.ts';

const TOP = fileURLToPath(new URL('../..', import.meta.url));
const PACKAGES = join(TOP, 'dist', 'packages');
const MINUTES = 60_000;

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

/** Runs a script as root of the clean system. When it ends, so does all that it began, as at a reboot. */
function inRoot(script: string): Promise<RunResult> {
  const entered = `
set -eu
mount --bind ${root} ${root}
mount -t proc proc ${root}/proc
[ -c ${root}/dev/fuse ] || mknod -m 666 ${root}/dev/fuse c 10 229
cp /etc/resolv.conf ${root}/etc/resolv.conf
exec chroot ${root} /bin/bash -euc "$0"`;
  return run(
    'unshare',
    ['-m', '-p', '-f', '--kill-child', '--propagation', 'private', 'bash', '-c', entered, script],
    {
      env: {
        HOME: '/root',
        NODE_OPTIONS: undefined,
        TMPDIR: undefined,
        NODE_EXTRA_CA_CERTS: undefined,
        SSL_CERT_FILE: undefined,
        PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      },
      timeoutMs: 10 * MINUTES,
    },
  );
}

it('svcfs is installed from the .deb, logs in, is mounted by fstab, and has its files after a reboot', async () => {
  const installed = await inRoot(
    `apt-get -qq update; apt-get -qq install -y --no-install-recommends /root/${deb} >/dev/null 2>&1; svcfs --version; man -w svcfs-mount 2>/dev/null || ls /usr/share/man/man8/svcfs-mount.8.gz`,
  );
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
    const installed = await inRoot(`
export PATH=/opt/node/bin:$PATH NODE_EXTRA_CA_CERTS=/opt/node/ca.pem
! command -v g++
npm install --silent --prefix /opt/svcfs --omit=optional /root/${tarball}
mkdir -p /mnt/npm
/opt/svcfs/node_modules/.bin/svcfs mount --quiet /mnt/npm
cat /mnt/npm/projects/demo/trio-exomes/boot.txt
/opt/svcfs/node_modules/.bin/svcfs unmount /mnt/npm`);
    expect(installed).toMatchObject({ code: 0, stdout: 'of the first boot\n' });
  },
  10 * MINUTES,
);

it('the .deb leaves nothing when it is purged', async () => {
  const purged = await inRoot(
    'apt-get -qq purge -y svcfs >/dev/null 2>&1; ls -d /usr/lib/svcfs /usr/sbin/mount.svcfs 2>/dev/null || echo nothing',
  );
  expect(purged.stdout).toBe('nothing\n');
});
