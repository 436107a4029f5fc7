/** `svcfs doctor` on machines and mounts that are broken: each remedy is pasted into the shell that has the fault. */
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkUpdatedb } from '../../src/cli/doctor/machine/updatedb.ts';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { type MountRecord, readRecord } from '../../src/cli/record.ts';
import { mountDirectory, stateDirectory } from '../../src/config/directories.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { mustRun, run, shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { ServedMount } from '../support/served-mount.ts';
import { MAY_MOUNT } from '../support/small-disk.ts';
import { waitUntil } from '../support/wait-until.ts';

interface Found {
  readonly check: string;
  readonly state: string;
  readonly found: string;
  readonly remedy: string | null;
}

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** Nobody waits longer for a mount that hangs. */
const PATIENCE_MS = 15_000;

let served: ServedMount;
let env: Readonly<Record<string, string>>;
beforeAll(async () => {
  served = await ServedMount.start();
  env = { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token };
});
afterAll(() => served?.clean());

function findingsIn(text: string): readonly Found[] {
  return JSON.parse(text).findings;
}

function about(check: string, text: string): Found | undefined {
  return findingsIn(text).find((each) => each.check === check);
}

describe('a machine', () => {
  it.skipIf(!MAY_MOUNT)('without /dev/fuse is told how to make it', async () => {
    const { sandbox } = served;
    const place = join(sandbox.root, 'tmp');
    const script = `
      mount -t tmpfs dev /dev && mknod -m 666 /dev/null c 1 3 && mknod -m 666 /dev/urandom c 1 9
      doctor() { "${process.execPath}" "${MAIN}" doctor "${sandbox.mountPoint}" --json; }
      doctor > before || [ $? = ${EXIT_CODES.faulty.code} ]
      eval "$("${process.execPath}" -p '
        JSON.parse(require("fs").readFileSync("before")).findings.find(({ check }) => check === "/dev/fuse").remedy')"
      doctor > after || [ $? = ${EXIT_CODES.faulty.code} ]`;
    const private_ = ['-m', '--propagation', 'private', 'bash', '-euc', script];
    await mustRun('unshare', private_, { cwd: place, env: sandbox.env });
    const text = (name: string): Promise<string> => readFile(join(place, name), 'utf8');
    expect(about('/dev/fuse', await text('before'))).toMatchObject({
      state: 'fault',
      remedy: 'mknod -m 666 /dev/fuse c 10 229',
    });
    expect(about('/dev/fuse', await text('after'))).toMatchObject({ state: 'ok' });
  });

  it('with too few descriptors is told how to have more', async () => {
    const { sandbox } = served;
    const limited = ['--nofile=512:512', process.execPath, MAIN, 'doctor', sandbox.mountPoint, '--json'];
    const { stdout } = await run('prlimit', limited, { env: sandbox.env });
    const before = about('open files', stdout);
    expect(before).toMatchObject({ state: 'fault', found: '512 at a time, and svcfs needs 1024' });
    expect(await shell(`ulimit -Sn 512\n${before?.remedy}\nulimit -Sn`)).toBe('1024\n');
    const after = await sandbox.svcfs(['doctor', sandbox.mountPoint, '--json']);
    expect(about('open files', after.stdout)).toMatchObject({ state: 'ok' });
  });

  it.skipIf(!MAY_MOUNT)('whose fusermount3 does not run as root is told how to mend it', async () => {
    const sandbox = await Sandbox.create({ uid: 65_534 });
    onTestFinished(() => sandbox.clean());
    const programs = join(sandbox.root, 'tmp', 'bin');
    await mkdir(programs);
    const helper = join(programs, 'fusermount3');
    await copyFile('/bin/true', helper);
    const doctor = async () =>
      about(
        'fusermount3',
        (
          await sandbox.svcfs(['doctor', sandbox.mountPoint, '--json'], {
            env: { PATH: `${programs}:/usr/bin:/bin` },
          })
        ).stdout,
      );
    const before = await doctor();
    expect(before).toMatchObject({ state: 'fault', found: `${helper} does not run as root` });
    await shell((before?.remedy ?? '').replaceAll('sudo ', ''));
    expect(await doctor()).toMatchObject({ state: 'ok', found: helper });
    const nowhere = await sandbox.svcfs(['doctor', sandbox.mountPoint, '--json'], {
      env: { PATH: sandbox.root },
    });
    expect(about('fusermount3', nowhere.stdout)).toMatchObject({ remedy: 'sudo apt-get install fuse3' });
  });

  it('whose updatedb would walk mounts is told how to keep it out', async () => {
    const configuration = `${served.sandbox.root}/updatedb.conf`;
    const look = () => checkUpdatedb({ configuration, path: '' });
    for (const text of ['PRUNE_BIND_MOUNTS="yes"\nPRUNEFS="NFS afs proc"\n', 'PRUNEPATHS="/tmp"\n']) {
      for (const mend of ['remedy', 'fix'] as const) {
        await writeFile(configuration, text);
        const before = await look();
        expect(before.state).toBe('warning');
        if (mend === 'fix') await before.fix?.();
        else await shell((before.remedy ?? '').replaceAll('sudo ', ''));
        expect(await look()).toMatchObject({ state: 'ok' });
        expect(await readFile(configuration, 'utf8')).toContain(text.split('"')[1]);
      }
    }
  });
});

describe('a mount', () => {
  async function doctor(
    args: readonly string[] = [],
  ): Promise<{ readonly code: number | null; readonly mount: Found | undefined }> {
    const { sandbox } = served;
    const { code, stdout } = await sandbox.svcfs(['doctor', sandbox.mountPoint, '--json', ...args], {
      env,
      timeoutMs: PATIENCE_MS,
    });
    return { code, mount: about(`mount ${sandbox.mountPoint}`, stdout) };
  }

  it('that works has no fault', async () => {
    expect(await doctor()).toMatchObject({ code: 0, mount: { state: 'ok', found: 'answers' } });
  });

  it('whose process is stopped is not waited for, and goes on by the remedy', async () => {
    const { sandbox } = served;
    const { record } = mountDirectory(
      stateDirectory({ XDG_STATE_HOME: sandbox.env['XDG_STATE_HOME'] }, ''),
      sandbox.mountPoint,
    );
    const pid = (await readRecord<MountRecord>(record))?.daemon.pid ?? 0;
    process.kill(pid, 'SIGSTOP');
    const stopped = await doctor();
    expect(stopped).toMatchObject({
      code: EXIT_CODES.faulty.code,
      mount: { state: 'fault', found: 'its process is stopped', remedy: `kill -CONT ${pid}` },
    });
    await shell(stopped.mount?.remedy ?? '');
    expect(await doctor()).toMatchObject({ code: 0, mount: { state: 'ok' } });
  });

  it('that is dead is taken away', async () => {
    const { sandbox } = served;
    const processes = await sandbox.processes();
    for (const kind of ['watchdog', 'daemon.js'])
      for (const { pid, command } of processes) if (command.includes(kind)) process.kill(pid, 'SIGKILL');
    await waitUntil(async () => (await doctor()).mount?.state === 'fault', { timeoutMs: PATIENCE_MS });
    const dead = await doctor();
    expect(dead.mount).toMatchObject({ found: 'its process has ended: every access fails' });
    expect(dead.mount?.remedy).toBe(`svcfs unmount --force ${sandbox.mountPoint}`);
    const { stdout } = await sandbox.svcfs(['doctor', sandbox.mountPoint, '--fix'], { env });
    expect(stdout).toContain(`mended: mount ${sandbox.mountPoint}`);
    expect(await mountedOn(sandbox.mountPoint)).toBeUndefined();
    await served.mount();
    expect(await doctor()).toMatchObject({ code: 0, mount: { state: 'ok' } });
  });
});
