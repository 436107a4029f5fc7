/**
 * Programs that put a new file in place of the old one by a rename, on a volume. The suite holds whichever way bytes take: links and
 * a staging project, or the bucket itself.
 */
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mustRun, run, shell } from './run.ts';
import type { Sandbox } from './sandbox.ts';

export interface VolumeWorld {
  readonly sandbox: Sandbox;
  /** `owner/name`, of a mount of the demo. */
  readonly volume: string;
  /** The names in a directory of the volume, as its store has them, sorted. */
  namesIn(directory: string): Promise<readonly string[]>;
}

/** A directory of the running test. */
export interface VolumeDirectory {
  object(...names: string[]): string;
  local(...names: string[]): string;
  onVolume(): Promise<readonly string[]>;
}

const PROJECT = 'demo/rna-seq-study';

/** @returns The directory of each test, for tests of one way alone */
export function volumeTools(world: () => VolumeWorld): VolumeDirectory {
  let directory: string;
  let tests = 0;

  const object = (...names: string[]): string =>
    world().sandbox.path('volumes', world().volume, directory, ...names);
  const local = (...names: string[]): string => join(world().sandbox.root, directory, ...names);
  const onVolume = (): Promise<readonly string[]> => world().namesIn(directory);

  beforeEach(async () => {
    tests += 1;
    directory = `tools-${tests}`;
    await mkdir(object());
    await mkdir(local());
  });
  /** After each test the program has left nothing but the files that it was to write. */
  afterEach(async () => {
    expect((await readdir(object())).sort()).toEqual(await onVolume());
  });

  it('rsync -a brings files, and replaces one', async () => {
    await writeFile(local('mid'), 'one\n');
    await writeFile(local('other'), 'x'.repeat(1e6));
    const all = ['-a', local('mid'), local('other'), `${object()}/`];
    await mustRun('rsync', all);
    await writeFile(local('mid'), 'two two\n');
    await mustRun('rsync', all);
    expect(await onVolume()).toEqual(['mid', 'other']);
    await mustRun('cmp', [local('mid'), object('mid')]);
    await mustRun('cmp', [local('other'), object('other')]);
  });

  it('rsync -aO brings a tree', async () => {
    await mkdir(local('deep'));
    await writeFile(local('deep/file'), 'text\n');
    await mustRun('rsync', ['-aO', `${local()}/`, `${object()}/`]);
    expect(await onVolume()).toEqual(['deep']);
    await mustRun('cmp', [local('deep/file'), object('deep/file')]);
  });

  it('rsync -r --size-only brings a tree, and nothing when it is made again, whatever times and modes say', async () => {
    await mkdir(local('deep'));
    await writeFile(local('deep/file'), 'text\n', { mode: 0o600 });
    await utimes(local('deep/file'), 1, 1);
    const tree = ['-r', '--size-only', '--itemize-changes', `${local()}/`, `${object()}/`];
    await mustRun('rsync', tree);
    await mustRun('cmp', [local('deep/file'), object('deep/file')]);
    expect(await run('rsync', tree)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('sed -i edits an object', async () => {
    await writeFile(object('notes.txt'), 'before\n');
    await mustRun('sed', ['-i', 's/before/after/', object('notes.txt')]);
    expect(await readFile(object('notes.txt'), 'utf8')).toBe('after\n');
    expect(await onVolume()).toEqual(['notes.txt']);
  });

  // Beside a file of a short name it tries whether names are cut.
  describe.skipIf(!existsSync('/usr/bin/vim'))('vim edits an object', () => {
    it.each(['notes.txt', 'README'])('%s', async (name) => {
      await writeFile(object(name), 'before\n');
      const edit = ['-c', 's/before/after/', '-c', 'wq'];
      await mustRun('vim', ['-u', 'NONE', '-N', '-es', ...edit, object(name)]);
      expect(await readFile(object(name), 'utf8')).toBe('after\n');
      expect(await onVolume()).toEqual([name]);
    });
  });

  /** Files that they write for a moment beside another never become objects, which nobody could remove. */
  describe('no name of a moment stays on the volume', () => {
    const SQL = 'create table t(a); insert into t values(1); insert into t values(2);';
    const PYTHON = `import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('pragma journal_mode = wal')
db.executescript('${SQL}')
db.commit()
db.close()`;

    it.each([
      [
        'sqlite3',
        'sqlite3',
        `sqlite3 t.db "${SQL}"; sqlite3 t.db "delete from t where a = 1"; sqlite3 t.db "select a from t"`,
        '2\n',
        ['t.db'],
      ],
      [
        'sqlite3 of python, with a log',
        'python3',
        'python3 -c "$PYTHON" t.db; python3 -m sqlite3 t.db "select a from t" 2>&1 || sqlite3 t.db "select a from t"',
        /2/,
        ['t.db'],
      ],
      ['zip', 'zip', 'echo one > one; zip -q all.zip one; unzip -p all.zip one', 'one\n', ['all.zip', 'one']],
      ['perl -i', 'perl', "echo before > f; perl -pi -e 's/before/after/' f; cat f", 'after\n', ['f']],
    ] as const)('%s', async (_, program, script, printed, names) => {
      if (!existsSync(`/usr/bin/${program}`)) return;
      const told = await shell(`cd "$volume"; ${script}`, { env: { volume: object(), PYTHON } });
      expect(told).toMatch(printed);
      expect(await onVolume()).toEqual(names);
    });
  });

  it('samtools sorts in pieces, which it removes', async () => {
    const bam = world().sandbox.path('projects/demo/trio-exomes/child/child.bam');
    const sorting = await run('samtools', ['sort', '-n', '-m', '1M', '-o', object('by-name.bam'), bam]);
    expect(sorting.stderr).toMatch(/merging from [1-9]\d* files/);
    await mustRun('samtools', ['quickcheck', object('by-name.bam')]);
    expect(await onVolume()).toEqual(['by-name.bam']);
  });

  it('a directory made here can be moved to a project once there is something in it', async () => {
    await mkdir(object('made'));
    await writeFile(object('made/file'), 'text\n');
    const moved = world().sandbox.path('projects', PROJECT, `moved-${tests}`);
    await mustRun('mv', [object('made'), moved]);
    expect(await mustRun('getfattr', ['--only-values', '-n', 'user.svc.alias', join(moved, 'file')])).toBe(
      `${world().volume}/${directory}/made/file`,
    );
  });

  /** They set owner, mode and time of what they make, none of which an object keeps. */
  it.each([
    ['cp -a', 'cp -a "$local/deep" "$volume/"'],
    ['cp -p', 'mkdir "$volume/deep"; cp -p "$local/deep/file" "$volume/deep/"'],
    ['install', 'mkdir "$volume/deep"; install -m 600 "$local/deep/file" "$volume/deep/"'],
    ['mv of a local folder', 'mv "$local/deep" "$volume/"'],
    ['rsync -a', 'rsync -a "$local/" "$volume/"'],
    ['tar x', 'tar c -C "$local" deep | tar x -C "$volume"'],
    [
      'touch of an object',
      'mkdir "$volume/deep"; echo text > "$volume/deep/file"; touch -d 2020-01-01 "$volume/deep/file"',
    ],
  ])('%s brings a file to a volume, and fails for no attribute', async (_, script) => {
    await mkdir(local('deep'));
    await writeFile(local('deep/file'), 'text\n', { mode: 0o640 });
    await utimes(local('deep/file'), 1, 1);
    if (process.getuid?.() === 0) await chown(local('deep/file'), 1234, 1234);
    await shell(script, { env: { local: local(), volume: object() } });
    expect(await readFile(object('deep/file'), 'utf8')).toBe('text\n');
    expect(await onVolume()).toEqual(['deep']);
    expect((await world().sandbox.svcfs(['status', world().sandbox.mountPoint])).stdout).toMatch(
      /not kept: .*[0-9] times?\b/,
    );
  });

  return { object, local, onVolume };
}
