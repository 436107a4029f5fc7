/** Programs that put a new file in place of the old one by a rename, in a project: what they cost, and what they leave. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { mustRun, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

let served: ServedMount;
let directory: string;
let local: string;
let tests = 0;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());
beforeEach(async () => {
  tests += 1;
  directory = served.path('projects/demo/rna-seq-study', `tools-${tests}`);
  local = join(served.sandbox.root, `tools-${tests}`);
  await mkdir(directory);
  await mkdir(local);
});

/** Requests by call, but for looks, which a mount makes when what it knows is older than a second. */
async function costOf(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
  const calls = Object.entries(await served.countingCalls(work));
  return Object.fromEntries(calls.filter(([call, count]) => count > 0 && !LOOKS.includes(call)));
}
const LOOKS = ['GET /v2/files/:file_id/list', 'GET /v2/files/:file_id', 'POST /v2/bulk/files/get'];
const UPLOAD = 'POST /v2/upload/inline';
const LINK = 'GET /v2/files/:file_id/download_info';
const file = (name: string): string => join(directory, name);
const attributes = () => shell('getfattr -d --absolute-names *; stat -c "%n %a %Y" *', { cwd: directory });

it('rsync -aX costs an upload a file, attributes and all, and again for new content', async () => {
  for (let i = 0; i < 12; i += 1) await writeFile(join(local, `f${i}`), `text ${i}\n`, { mode: 0o600 });
  await shell('for f in *; do setfattr -n user.k -v "$f" "$f"; touch -d 2001-01-01 "$f"; done', {
    cwd: local,
  });
  const sync = () => mustRun('rsync', ['-aX', `${local}/`, `${directory}/`]);
  expect(await costOf(sync)).toEqual({ [UPLOAD]: 12 });
  await shell('diff -r "$a" "$b"', { env: { a: local, b: directory } });
  expect(await attributes()).toBe(
    await shell('getfattr -d --absolute-names *; stat -c "%n %a %Y" *', { cwd: local }),
  );
  await shell('setfattr -n user.run -v r1 f3', { cwd: directory });
  await shell('for f in *; do echo more >> "$f"; done', { cwd: local });
  expect(await costOf(sync)).toEqual({ [UPLOAD]: 12 });
  expect(await readFile(file('f3'), 'utf8')).toBe('text 3\nmore\n');
  expect(await readdir(directory)).toHaveLength(12);
});

it('sed -i costs reading the file and an upload, and the file keeps its attributes', async () => {
  await writeFile(file('notes'), 'before\n');
  await shell('setfattr -n user.sample -v s1 notes', { cwd: directory });
  expect(await costOf(() => mustRun('sed', ['-i', 's/before/after/', file('notes')]))).toEqual({
    [UPLOAD]: 1,
    [LINK]: 1,
  });
  expect(await shell('cat notes; getfattr --only-values -n user.sample notes', { cwd: directory })).toBe(
    'after\ns1',
  );
});

it.skipIf(!existsSync('/usr/bin/gio'))('a save as by GNOME programs costs an upload', async () => {
  await writeFile(file('notes'), 'before\n');
  expect(await costOf(() => shell('echo after | gio save notes', { cwd: directory }))).toEqual({
    [UPLOAD]: 1,
  });
  expect(await readFile(file('notes'), 'utf8')).toBe('after\n');
});

it.skipIf(!existsSync('/usr/bin/vim'))(
  'what vim tries a directory with, and its swap file, cost nothing',
  async () => {
    await writeFile(file('notes'), 'before\n');
    const edit = [
      '-u',
      'NONE',
      '-N',
      '-es',
      '-c',
      'set updatecount=1',
      '-c',
      '%s/before/after/',
      '-c',
      'wq',
      file('notes'),
    ];
    expect(await costOf(() => mustRun('vim', edit))).toEqual({ [UPLOAD]: 1, [LINK]: 1 });
    expect(await readFile(file('notes'), 'utf8')).toBe('after\n');
  },
);

it('a killed rsync leaves nothing on the platform; its half file is kept aside', async () => {
  await writeFile(join(local, 'big'), Buffer.alloc(4e6, 'x'));
  const cost = await costOf(async () => {
    const rsync = spawn('rsync', ['-a', '--bwlimit=400', join(local, 'big'), `${directory}/`], {
      detached: true,
    });
    const ended = once(rsync, 'exit');
    await waitUntil(async () => (await readdir(directory)).some((name) => name.startsWith('.big.')));
    process.kill(-rsync.pid!, 'SIGKILL');
    await ended;
    await waitUntil(async () => (await readdir(directory)).length === 0);
    await served.sandbox.svcfs(['flush', served.sandbox.mountPoint]);
  });
  expect(cost).toEqual({});
  const { stdout } = await served.sandbox.svcfs(['recover', 'list']);
  expect(stdout).toContain('.big.');
});
