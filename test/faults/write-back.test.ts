/** `--write-back`: what close(2) acknowledged is safe on this machine, and gets to the platform whatever happens. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { attempt, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;

let world: FaultWorld;
let big: string;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: ['--write-back', '--retry-timeout', '2'] });
  big = world.outside('big');
  await shell(`head -c ${40 * MIB} /dev/urandom > ${big}`);
  return () => world.clean();
});
afterEach(() => world.proxy.heal());

const isUpload = ({ path }: SeenRequest): boolean => path.includes('/upload/');
const isCompletion = ({ path }: SeenRequest): boolean =>
  path.endsWith('/complete') || path.includes('/inline');
/** Nothing of an upload gets through. */
const holdUploads = (): void => void world.proxy.inject({ kind: 'answer', status: 503 }, { when: isUpload });

const flush = (...path: string[]) => world.sandbox.svcfs(['flush', ...path]);
const write = (name: string, text: string): Promise<string> =>
  shell(`printf %s '${text}' > ${world.own(name)}`);
const read = (name: string): Promise<string> => shell(`cat ${world.own(name)}`);

/** The content that another client sees. */
async function onPlatform(name: string): Promise<string> {
  await world.remount();
  return read(name);
}

/** Where a file's bytes are kept on this machine. */
async function keptOf(name: string): Promise<string> {
  const state = join(world.sandbox.root, 'state');
  const paths = await readdir(state, { recursive: true });
  return join(state, paths.find((path) => path.includes(`/recovered/${name}.`)) ?? 'nothing was kept');
}

/** fsync(2) tells of the upload that failed before, and has the bytes on the disk all the same. */
const WRITE_HALF = `
import os, sys, time
target = open(sys.argv[1], sys.argv[2], buffering=0)
target.write(b'half')
try:
  os.fsync(target.fileno())
except OSError:
  pass
print('written', flush=True)
time.sleep(60)
`;

/** Appends to one file and begins another, and closes neither. */
const WRITE_TWO = `
import sys, time
target = open(sys.argv[1], 'ab', buffering=0)
target.write(b' and more')
other = open(sys.argv[2], 'wb', buffering=0)
other.write(b'half')
print('written', flush=True)
time.sleep(60)
`;

/** By a program that opened the file in this mode of Python's; another mount follows, and what it owes. */
async function killMountWhileHalfIsWritten(path: string, mode: string): Promise<void> {
  const program = new BackgroundProcess('python3', ['-c', WRITE_HALF, path, mode]);
  await program.says(/written/);
  await world.killMount();
  await program.end();
  world.proxy.heal();
  await world.mount();
  await flush();
}

describe('a file closed with --write-back', () => {
  it('is read, and looked at, here before it is uploaded; svcfs flush waits until it is', async () => {
    holdUploads();
    await write('early', 'hello');
    await mustRun('cp', [big, world.own('early-big')]);
    expect(await read('early')).toBe('hello');
    await mustRun('cmp', [big, world.own('early-big')]);
    expect(await shell(`stat -c %s ${world.own('early')}`)).toBe('5\n');
    expect(await world.files()).not.toContain('early');
    await waitUntil(async () => {
      const { stdout } = await world.sandbox.svcfs(['status']);
      return /early: 0 B of 5 B, (publishing|failed)/.test(stdout);
    });
    world.proxy.heal();
    expect(await flush(world.own('early'))).toMatchObject({ code: 0 });
    expect(await world.files()).toContain('early');
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await world.files()).toContain('early-big');
    expect(await onPlatform('early')).toBe('hello');
    await mustRun('cmp', [big, world.own('early-big')]);
  });

  it('is uploaded by the next mount when this one is killed, small or large', async () => {
    holdUploads();
    await write('killed', 'small');
    await shell(`touch ${world.own('killed-empty')}`);
    await mustRun('cp', [big, world.own('killed-big')]);
    await world.killMount();
    world.proxy.heal();
    await world.mount();
    await waitUntil(async () => {
      const files = await world.files();
      return ['killed', 'killed-big', 'killed-empty'].every((name) => files.includes(name));
    });
    expect(await onPlatform('killed')).toBe('small');
    expect(await read('killed-empty')).toBe('');
    await mustRun('cmp', [big, world.own('killed-big')]);
    expect(await world.leftovers()).toEqual([]);
  });

  it('is uploaded by the next mount with the mode and the time that were set since', async () => {
    holdUploads();
    await write('set-since', 'text');
    const path = world.own('set-since');
    await shell(
      `chmod 750 ${path} && python3 -c 'import os, sys; os.utime(sys.argv[1], (1e9, 1e9))' ${path}`,
    );
    await world.killMount();
    world.proxy.heal();
    await world.mount();
    await waitUntil(async () => (await world.files()).includes('set-since'));
    expect(await onPlatform('set-since')).toBe('text');
    expect(await shell(`stat -c '%a %Y' ${path}`)).toBe('750 1000000000\n');
  });

  it('is not replaced by half of what is written in its place when this mount is killed', async () => {
    await write('anew', 'v1');
    await flush();
    holdUploads();
    await write('anew', 'v2');
    await killMountWhileHalfIsWritten(world.own('anew'), 'wb');
    expect((await world.content('anew')).toString()).toBe('v1');
    expect(await readFile(await keptOf('anew'), 'utf8')).toBe('half');
  });

  it.each([
    ['in its place', 'r+b', 'v1', (v2: Buffer) => Buffer.concat([Buffer.from('half'), v2.subarray(4)])],
    ['to its end', 'ab', 'v2', (v2: Buffer) => Buffer.concat([v2, Buffer.from('half')])],
  ])(
    'is not mixed with what is written %s when this mount is killed',
    async (where, mode, uploaded, kept) => {
      const name = `mixed-${where.replaceAll(' ', '-')}`;
      const path = world.own(name);
      const v2 = `${big}.v2`;
      await mustRun('cp', [big, path]);
      await flush();
      holdUploads();
      await shell(`tail -c 100000 ${big} > ${v2}; cp ${v2} ${path}`);
      await killMountWhileHalfIsWritten(path, mode);
      expect((await world.content(name)).equals(await readFile(uploaded === 'v1' ? big : v2))).toBe(true);
      expect((await readFile(await keptOf(name))).equals(kept(await readFile(v2)))).toBe(true);
    },
  );

  it('is there, appended to since, when another that is still written was renamed over it, and the mount killed', async () => {
    const [over, tmp] = [world.own('appended'), world.own('appended.tmp')];
    holdUploads();
    await write('appended', 'closed');
    const program = new BackgroundProcess('python3', ['-c', WRITE_TWO, over, tmp]);
    await program.says(/written/);
    world.proxy.heal();
    await mustRun('mv', [tmp, over]);
    expect(await read('appended')).toBe('half');
    await world.killMount();
    await program.end();
    await world.mount();
    await flush();
    expect((await world.content('appended')).toString()).toBe('closed and more');
  });

  it('is there when unmount has returned', async () => {
    await shell(`for i in $(seq 50); do echo $i > ${world.own('many')}-$i; done`);
    await world.remount();
    expect(await shell(`ls ${world.own()} | grep -c '^many-'`)).toBe('50\n');
    expect(await read('many-17')).toBe('17\n');
  });

  it('is tried again until the service takes it', async () => {
    const heal = world.proxy.inject({ kind: 'answer', status: 500 }, { when: isCompletion });
    await write('again', 'at last');
    const error = (): Promise<string> => shell(`cat ${world.sandbox.path('.svcfs/errors')}`);
    await waitUntil(async () => (await error()).includes('/again'), { timeoutMs: 30_000 });
    heal();
    expect(await flush(world.own('again'))).toMatchObject({ code: 0 });
    expect(await onPlatform('again')).toBe('at last');
  });

  it('is not removed here and left on the platform when its upload had no answer', async () => {
    const isUnanswered = (request: SeenRequest): boolean =>
      isCompletion(request) && request.path.includes('name=unanswered');
    world.proxy.inject({ kind: 'lose-answer' }, { when: isCompletion });
    world.proxy.inject({ kind: 'drop' }, { when: () => world.proxy.requests.some(isUnanswered) });
    await write('unanswered', 'text');
    const error = (): Promise<string> => shell(`cat ${world.sandbox.path('.svcfs/errors')}`);
    await waitUntil(async () => (await error()).includes('/unanswered'), { timeoutMs: 30_000 });
    const { code, stderr } = await attempt('rm', [world.own('unanswered')]);
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Input/output error'),
    });
    expect((await world.content('unanswered')).toString()).toBe('text');
    world.proxy.heal();
    await mustRun('rm', [world.own('unanswered')]);
    await expect(world.content('unanswered')).rejects.toThrow();
    expect(await flush()).toMatchObject({ code: 0 });
  });
});

describe('a file closed with --write-back, and refused for good,', () => {
  const refuse = (): void =>
    void world.proxy.inject(
      { kind: 'answer', status: 403, body: '{"code":8001,"message":"No."}' },
      { when: isUpload },
    );
  const svcfs = (...args: string[]) => world.sandbox.svcfs(args);

  it('stays in the mount, and is named by flush, status, unmount and mount until it is dealt with', async () => {
    refuse();
    const path = world.own('refused');
    await write('refused', 'precious');
    await shell(`: > ${world.own('empty')}`);
    for (const args of [['flush', path], ['flush']]) {
      const { code, stderr } = await svcfs(...args);
      expect(code).toBe(1);
      expect(stderr).toContain('/refused was closed, and cannot be published');
      const [, place = ''] = /refused .*; its bytes are at ([^;]+);.*svcfs recover/.exec(stderr) ?? [];
      expect(await readFile(place, 'utf8')).toBe('precious');
    }
    expect(await flush(world.own('empty'))).toMatchObject({ code: 1 });
    expect(await read('refused')).toBe('precious');
    expect((await svcfs('why', path)).stdout).toContain('code 8001');
    expect((await svcfs('status')).stdout).toContain(`not on the service: ${path} (8 B)`);
    const unmounted = await svcfs('unmount', world.sandbox.mountPoint);
    expect(unmounted).toMatchObject({ code: 1, stderr: expect.stringContaining('/refused was closed') });
    expect((await svcfs('status')).stdout).toContain(`not on the service: ${path} (8 B)`);
    const mounted = await world.mount();
    expect(mounted.stderr).toContain(`not on the service: ${path} (8 B)`);
    expect(await read('refused')).toBe('precious');
    const listed = await svcfs('recover', 'list');
    expect(listed.stdout).toMatch(new RegExp(`refused +8 B .*${path}\n`));
    const saved = world.outside('saved');
    expect(await svcfs('recover', 'save', path, saved)).toMatchObject({ code: 0 });
    expect(await readFile(saved, 'utf8')).toBe('precious');
    expect(await svcfs('recover', 'save', path, saved)).toMatchObject({ code: 1 });
    expect(await svcfs('recover', 'drop', world.own('empty'))).toMatchObject({ code: 2 });
    expect(await svcfs('recover', 'drop', '--yes', world.own('empty'))).toMatchObject({ code: 0 });
    expect(await svcfs('recover', 'retry', path)).toMatchObject({ code: 1 });
    world.proxy.heal();
    expect(await svcfs('recover', 'retry', path)).toMatchObject({ code: 0 });
    expect((await svcfs('recover', 'list')).stdout).not.toMatch(/study\/(refused|empty)\n/);
    expect(await onPlatform('refused')).toBe('precious');
    expect(await world.files()).not.toContain('empty');
  });

  it('is dealt with as well while there is no mount', async () => {
    refuse();
    for (const name of ['drop', 'retry']) await write(name, name);
    expect(await flush()).toMatchObject({ code: 1 });
    expect(await svcfs('unmount', world.sandbox.mountPoint)).toMatchObject({ code: 1 });
    expect(await svcfs('recover', 'show', world.own('drop'))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('refused by the service'),
    });
    const saved = world.outside('saved-unmounted');
    expect(await svcfs('recover', 'save', world.own('drop'), saved)).toMatchObject({ code: 0 });
    expect(await readFile(saved, 'utf8')).toBe('drop');
    expect(await svcfs('recover', 'drop', '--yes', world.own('drop'))).toMatchObject({ code: 0 });
    const retried = await svcfs('recover', 'retry', world.own('retry'));
    expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining('tried again when you mount') });
    world.proxy.heal();
    await world.mount();
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await onPlatform('retry')).toBe('retry');
    expect(await world.files()).not.toContain('drop');
  });
});

describe('unmount --force', () => {
  it('names what was not uploaded, and exits 16', async () => {
    holdUploads();
    await write('held', 'kept here');
    const { code, stderr } = await world.sandbox.svcfs(['unmount', '--force', world.sandbox.mountPoint]);
    expect(code).toBe(16);
    expect(stderr).toContain(`${world.own('held')} (9 B)`);
    world.proxy.heal();
    await world.mount();
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await onPlatform('held')).toBe('kept here');
    expect(await world.sandbox.svcfs(['unmount', '--force', world.sandbox.mountPoint])).toMatchObject({
      code: 0,
    });
    await world.mount();
  });
});

describe('while a file closed with --write-back is being uploaded', () => {
  it('it can be renamed', async () => {
    world.proxy.inject({ kind: 'latency', ms: 200 }, { when: isUpload });
    await write('from', 'moved');
    await shell(`mv ${world.own('from')} ${world.own('to')}`);
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await onPlatform('to')).toBe('moved');
    expect(await world.files()).not.toContain('from');
  });

  it('it can be removed', async () => {
    world.proxy.inject({ kind: 'latency', ms: 200 }, { when: isUpload });
    await write('gone', 'no more');
    await shell(`rm ${world.own('gone')}`);
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await world.files()).not.toContain('gone');
    await waitUntil(async () => (await world.leftovers()).length === 0);
  });

  it('it can be written again: the last content counts, and nobody sees half of one', async () => {
    world.proxy.inject({ kind: 'latency', ms: 100 }, { when: isUpload });
    for (const text of ['first', 'second one', 'third']) await write('over', text);
    await shell(`echo appended >> ${world.own('over')}`);
    await mustRun('cp', [big, world.own('over-big')]);
    await shell(`head -c ${20 * MIB} ${big} > ${world.own('over-big')}`);
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await onPlatform('over')).toBe('thirdappended\n');
    await shell(`cmp -n ${20 * MIB} ${big} ${world.own('over-big')}`);
    expect(await shell(`stat -c %s ${world.own('over-big')}`)).toBe(`${20 * MIB}\n`);
  });

  it('it can replace another by a rename', async () => {
    await write('target', 'old');
    await flush();
    world.proxy.inject({ kind: 'latency', ms: 100 }, { when: isUpload });
    await write('target.new', 'new');
    await shell(`mv ${world.own('target.new')} ${world.own('target')}`);
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await onPlatform('target')).toBe('new');
    expect(await world.files()).not.toContain('target.new');
  });
});

describe('a change of a part of a file, closed with --write-back', () => {
  it('has fetched the rest: it is uploaded even if the platform loses what it began as', async () => {
    await mustRun('cp', [big, world.own('base')]);
    await world.remount();
    holdUploads();
    await shell(`printf XX | dd of=${world.own('base')} bs=1 seek=1000 conv=notrunc status=none`);
    const isLink = ({ path }: SeenRequest): boolean =>
      path.includes('download_info') || path.includes('/blobs/');
    world.proxy.inject({ kind: 'answer', status: 404 }, { when: isLink });
    await world.killMount();
    const held = world.proxy;
    held.heal();
    held.inject({ kind: 'answer', status: 404 }, { when: isLink });
    await world.mount();
    await waitUntil(async () => (await world.leftovers()).length === 0, { timeoutMs: 30_000 });
    held.heal();
    await shell(
      `cp ${big} ${big}.changed; printf XX | dd of=${big}.changed bs=1 seek=1000 conv=notrunc status=none`,
    );
    await world.remount();
    await mustRun('cmp', [`${big}.changed`, world.own('base')]);
  });
});

describe('a folder that was just filled with --write-back', () => {
  it('is moved to a volume at once: that waits for the uploads', async () => {
    const filled = world.outside('filled');
    await shell(`mkdir ${filled}; cd ${filled}; for n in $(seq 60); do echo $n > f$n; done`);
    world.proxy.inject({ kind: 'latency', ms: 50 }, { when: isUpload });
    const target = world.sandbox.path('volumes/ann/results/filled');
    await shell(`cp -r ${filled} ${world.own('filled')}; mv ${world.own('filled')} ${target}`);
    expect(await shell(`ls ${target} | wc -l`)).toBe('60\n');
    expect(await shell(`cat ${target}/f60`)).toBe('60\n');
    expect(await flush()).toMatchObject({ code: 0 });
  });
});

describe('a copy made by the platform', () => {
  it('is waited for with --write-back too', async () => {
    await write('source', 'copied');
    await flush();
    const { code } = await attempt('cp', [world.own('source'), world.own('copy')]);
    expect(code).toBe(0);
    expect(await world.files()).toContain('copy');
  });
});
