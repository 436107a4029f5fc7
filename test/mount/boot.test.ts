/** mount(8), umount(8), fstab(5), autofs and systemd, as far as they work where systemd is not the first process. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { type RunResult, run } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const SVCFS = `${process.execPath} ${MAIN}`;

let service: DemoServiceProcess;
let sandbox: Sandbox;
let fstab: string;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());
beforeEach(async () => {
  sandbox = await Sandbox.create();
  fstab = join(sandbox.root, 'fstab');
  await mkdir(join(sandbox.home, '.svcfs'));
  const profile = `[lab]\napi_endpoint = ${service.endpoint}\nauth_token = ${service.token}\n`;
  await writeFile(join(sandbox.home, '.svcfs', 'credentials'), profile, { mode: 0o600 });
  return () => sandbox.clean();
});

/**
 * As on a machine with the package: the helpers stand in /usr/sbin, in a mount namespace where nobody else sees them. mount(8) hands
 * neither HOME nor PATH on to them.
 */
function whereInstalled(script: string): Promise<RunResult> {
  const over = join(sandbox.root, 'over');
  const installed = `
set -eu
mkdir ${over} && mount -t tmpfs tmpfs ${over} && mkdir ${over}/upper ${over}/work
mount -t overlay overlay -o lowerdir=/usr/sbin,upperdir=${over}/upper,workdir=${over}/work /usr/sbin
printf '#!/bin/sh\\nexec ${SVCFS} mount-helper "$@"\\n' > /usr/sbin/mount.svcfs
printf '#!/bin/sh\\nexec ${SVCFS} unmount-helper "$@"\\n' > /usr/sbin/umount.fuse.svcfs
chmod 755 /usr/sbin/mount.svcfs /usr/sbin/umount.fuse.svcfs
M=${sandbox.mountPoint}
${script}`;
  return run('unshare', ['-m', '--propagation', 'private', 'bash', '-c', installed], { env: sandbox.env });
}

describe('a line of fstab', () => {
  it('is mounted by mount -a; umount waits until what was written is on the service', async () => {
    await writeFile(
      fstab,
      `lab ${sandbox.mountPoint} svcfs _netdev,nofail,x-systemd.automount,write-back,env.HOME=${sandbox.home} 0 0\n`,
    );
    const name = 'kept-by-umount.txt';
    const result = await whereInstalled(`
mount -a -T ${fstab}
echo kept > $M/projects/demo/trio-exomes/${name}
umount $M
! mountpoint -q $M
mount -a -T ${fstab} && cat $M/projects/demo/trio-exomes/${name}; umount $M`);
    expect(result).toMatchObject({ code: 0, stdout: 'kept\n' });
    // As long as its upload has not ended when umount begins.
    expect(result.stderr).toMatch(new RegExp(`^(waiting for 1 file: \\S+/${name}\n)?$`));
  });

  it('with a typo is one line, with the code of mount(8)', async () => {
    await writeFile(fstab, `lab ${sandbox.mountPoint} svcfs nofail,metadata-tl=3 0 0\n`);
    const tried = await whereInstalled(`mount -T ${fstab} $M || echo $?`);
    const stderr = 'svcfs: -o metadata-tl: unknown option: did you mean metadata-ttl?\n';
    expect(tried).toMatchObject({ code: 0, stdout: '1\n', stderr });
  });
});

it('a directory that autofs waits at is mounted on by its process group, and umount ends that', async () => {
  const result = await whereInstalled(`
exec 5> >(cat > /dev/null)
set -m
mount -i -t autofs -o fd=5,pgrp=$(ps -o pgid= $$ | tr -d ' '),minproto=5,maxproto=5,direct systemd-1 $M
set +m
mount -t svcfs -o env.HOME=${sandbox.home} lab $M
ls $M
${SVCFS} unmount $M
umount -i $M`);
  expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('projects'), stderr: '' });
});

describe('systemd', () => {
  it('finds nothing wrong with the units', async () => {
    for (const args of [[], ['--profile', 'lab'], ['--user'], ['--automount']]) {
      const { stdout } = await sandbox.svcfs(['systemd', 'print', sandbox.mountPoint, ...args]);
      const units = stdout.split(/^# (?=\S+\.(?:service|mount|automount)$)/m).filter((text) => text !== '');
      const paths: string[] = [];
      for (const unit of units) {
        const [name = '', ...lines] = unit.split('\n');
        const path = join(sandbox.root, name);
        await writeFile(path, lines.join('\n'));
        paths.push(path);
      }
      const verified = await run('systemd-analyze', ['verify', '--man=no', ...paths], { env: sandbox.env });
      expect(verified).toMatchObject({ code: 0, stderr: '' });
    }
  });

  it('makes a mount and an automount of a line of fstab', async () => {
    await writeFile(
      fstab,
      `lab ${sandbox.mountPoint} svcfs _netdev,nofail,x-systemd.automount,allow-other 0 0\n`,
    );
    const units = join(sandbox.root, 'units');
    await mkdir(units);
    const generator = '/lib/systemd/system-generators/systemd-fstab-generator';
    const made = await run(generator, [units, units, units], {
      env: { ...sandbox.env, SYSTEMD_FSTAB: fstab },
    });
    expect(made.code).toBe(0);
    const { stdout: name } = await run('systemd-escape', ['--path', '--suffix=mount', sandbox.mountPoint]);
    const unit = await readFile(join(units, name.trim()), 'utf8');
    expect(unit).toMatch(/^Type=svcfs$/m);
    expect(unit).toMatch(/^What=lab$/m);
  });

  it('is told when the mount is usable', async () => {
    // A manager that listens: Node.js has no datagram sockets of this kind.
    const socket = join(sandbox.root, 'notify');
    const listener = join(sandbox.root, 'listen.pl');
    await writeFile(
      listener,
      `use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0) or die; bind(S, sockaddr_un($ARGV[0])) or die; $| = 1; print "bound\\n";
while (defined recv(S, $m, 4096, 0)) { print "$m\\n"; }`,
    );
    const manager = sandbox.startProgram('perl', [listener, socket]);
    await manager.says(/bound/);
    const mount = sandbox.start(['mount', '--foreground', '--profile', 'lab', sandbox.mountPoint], {
      NOTIFY_SOCKET: socket,
    });
    await manager.says(/READY=1/);
    expect((await run('ls', [sandbox.mountPoint])).stdout).toContain('projects');
    mount.signal('SIGTERM');
    expect(await mount.exited()).toBe(0);
  });

  it('gets units from svcfs systemd install', async () => {
    const installed = await sandbox.svcfs(['systemd', 'install', '--user', sandbox.mountPoint]);
    expect(installed.code).toBe(0);
    const [, path = ''] = /^wrote (\S+)$/m.exec(installed.stdout) ?? [];
    expect(await readFile(path, 'utf8')).toContain('WantedBy=default.target');
  });
});

describe('a man page', () => {
  it.each(['svcfs.1', 'svcfs-mount.8', 'svcfs.conf.5', 'mount.svcfs.8'])(
    '%s has nothing that mandoc warns of',
    async (page) => {
      const path = fileURLToPath(new URL(`../../src/cli/man/${page}`, import.meta.url));
      expect(await run('mandoc', ['-T', 'lint', '-W', 'warning', path])).toMatchObject({
        code: 0,
        stdout: '',
      });
    },
  );
});
