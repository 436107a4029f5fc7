/** mv and cp between projects and volumes: jobs of the platform, not a byte through the mount. */
import { mkdir } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { mustRun, shell } from '../support/run.ts';
import { type ServedMount as Served, ServedMount } from '../support/served-mount.ts';

const PROJECT = 'projects/demo/rna-seq-study';
const VOLUME = 'volumes/demo/results';
const CONTENT = 'seq 100000';

let served: Served;
let directories = 0;
let project: string;
let volume: string;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

/** A directory of its own for each test, in a project and on a volume. */
async function here(): Promise<void> {
  const name = `transfer-${++directories}`;
  project = served.path(PROJECT, name);
  volume = served.path(VOLUME, name);
  await mkdir(project);
  await mkdir(volume);
}
afterEach(async () => {
  expect((await shell(`cat ${served.path('.svcfs/errors')}`)).includes('TypeError')).toBe(false);
});

const run = (script: string): Promise<string> => shell(`P=${project} V=${volume}; ${script}`);
const storageOf = (path: string): Promise<string> =>
  run(`getfattr --only-values -n user.svc.storage ${path}`);

it('mv of a file to a volume is an export: the file stays as an alias that reads the same', async () => {
  await here();
  await run(`${CONTENT} > $P/a`);
  const { storageBytes } = await served.counting(() => run('mv $P/a $V/b'));
  expect(storageBytes).toBe(0);
  expect(JSON.parse(await storageOf('$P/a'))).toMatchObject({ type: 'VOLUME', volume: 'demo/results' });
  await run(`${CONTENT} | cmp - $P/a; ${CONTENT} | cmp - $V/b`);
});

it('mv of an object to a project is an import: an alias that reads the same', async () => {
  await here();
  await run(`${CONTENT} > $P/a; mv $P/a $V/a; mkdir $P/d`);
  const { storageBytes } = await served.counting(() => run('mv $V/a $P/d/c'));
  expect(storageBytes).toBe(0);
  expect(JSON.parse(await storageOf('$P/d/c'))).toMatchObject({ type: 'VOLUME' });
  await run(`${CONTENT} | cmp - $P/d/c; ${CONTENT} | cmp - $V/a`);
});

it('an alias is not written, by root either, and can be removed, moved and replaced', async () => {
  await here();
  await run(
    `echo text > $P/a; mv $P/a $V/a; ! test -w $P/a || [ $(id -u) = 0 ]; [ $(stat -c %a $P/a) = 444 ]`,
  );
  const attempts = ['echo more >> $P/a', 'echo more > $P/a', 'truncate -s 1 $P/a', 'cp /etc/hostname $P/a'];
  for (const attempt of attempts)
    expect(await run(`(${attempt}) 2>&1 && echo done || true`)).toMatch(/ not permitted| denied/);
  expect(await run('cat $P/a $V/a')).toBe('text\ntext\n');
  if (process.getuid?.() === 0)
    expect(await run('getfattr --only-values -n user.svc.error $P/a')).toMatch(
      /^a is an alias of .*: cp it .* remove it first/,
    );
  await run('mv $P/a $P/b; echo new > $P/new; mv -f $P/new $P/b; cp $V/a $P/c; rm -f $P/c; echo own > $P/c');
  expect(await run('cat $P/b $P/c $V/a')).toBe('new\nown\ntext\n');
});

it('mv of a folder there and back moves every file', async () => {
  await here();
  await run('mkdir -p $P/t/u; for i in $(seq 20); do echo $i > $P/t/$i; echo u$i > $P/t/u/$i; done');
  const { storageBytes } = await served.counting(() => run('mv $P/t $V/t'));
  expect(storageBytes).toBe(0);
  await run('diff -r $P/t $V/t; [ $(find $V/t -type f | wc -l) = 40 ]');
  await run('mv $V/t $P/back; diff -r $P/t $P/back');
});

it('mv of a folder onto one in which a file is being written leaves both usable, and the file to its writer', async () => {
  await here();
  await run('mkdir $P/t $P/from; echo 1 > $P/from/1; mv $P/from $V/t; mkdir $P/t/sub');
  const script = `
    exec 3> $P/t/log 4> $P/t/sub/log
    echo one >&3
    mv $V/t $P
    echo two >&3; echo two >&4
    echo new > $P/t/new
    echo new > $P/t/sub/new
    exec 3>&- 4>&-
    cd $P/t && head -n 2 log sub/log new sub/new 1`;
  const lines = (await run(script)).split('\n').filter((line) => line !== '');
  const file = (name: string): string => `==> ${name} <==`;
  const written = [
    file('log'),
    'one',
    'two',
    file('sub/log'),
    'two',
    file('new'),
    'new',
    file('sub/new'),
    'new',
  ];
  expect(lines).toEqual([...written, file('1'), '1']);
});

it('cp in every direction is done by the platform', async () => {
  await here();
  await run(`${CONTENT} > $P/a`);
  const copies = 'cp $P/a $P/b; cp $P/a $V/a; cp $V/a $P/c; cp -r $V $P/tree';
  const { storageBytes } = await served.counting(() => run(copies));
  expect(storageBytes).toBe(0);
  await run(`for f in $P/a $P/b $V/a $P/c $P/tree/a; do ${CONTENT} | cmp - $f; done`);
  expect(JSON.parse(await storageOf('$P/a'))).toMatchObject({ type: 'PLATFORM' });
});

it('a copy changed before it is closed is uploaded as it is', async () => {
  await here();
  await run(`${CONTENT} > $P/a; cp $P/a $P/b; echo more >> $P/b; { ${CONTENT}; echo more; } | cmp - $P/b`);
});

it('what a volume cannot do is refused with a reason', async () => {
  await here();
  await run('echo x > $P/a; cp $P/a $V/a');
  await run(
    '! rm $V/a 2>/dev/null; ! mv $V/a $V/b 2>/dev/null; ! sh -c "echo x > $0/new" $V 2>/dev/null; ls $V | cmp - <(echo a)',
  );
  expect(await run('getfattr --only-values -n user.svc.error $V/a')).toMatch(/rename|deletes no objects/);
});

it('mknod of a file that a volume would never take fails as writing it does, and leaves no name', async () => {
  await here();
  const mknod = `import errno, os, sys
try:
  os.mknod(sys.argv[1])
  print('made')
except OSError as error:
  print(errno.errorcode[error.errno])`;
  const attempt = (path: string): Promise<string> => mustRun('python3', ['-c', mknod, path]);
  expect(await attempt(`${volume}/new`)).toBe('EROFS\n');
  expect(await run('ls $V; getfattr --only-values -n user.svc.error $V')).toMatch(
    /^new: the platform puts only exported/,
  );
  expect(await attempt(`${project}/new`)).toBe('made\n');
});

it('mv between projects moves the file and keeps its id', async () => {
  await here();
  const id = 'getfattr --only-values -n user.svc.id';
  const other = await shell(`ls -d ${served.path('projects/demo')}/*/ | grep -v ${PROJECT} | head -1`);
  const target = `${other.trim()}moved-file`;
  await run('echo text > $P/a');
  const before = await run(`${id} $P/a`);
  await run(`mv $P/a ${target}; [ ! -e $P/a ]; grep -q text ${target}`);
  expect(await run(`${id} ${target}`)).toBe(before);
  await run(`rm ${target}`);
});
