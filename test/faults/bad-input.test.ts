/** Input that the platform cannot take is refused at once, with the right errno and a reason to read. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Operator } from '../../src/service/operator/operator.ts';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start();
  await shell('cd $own; mkdir full empty; echo text > file; echo x > full/inner', { env: env() });
});
afterAll(() => world?.clean());

/** `$own` may be written, `$shared` only read, `$results` and `$reference` are volumes. */
const env = (): Record<string, string> => ({
  own: world.own(),
  shared: world.readOnly(),
  results: world.volume('results'),
  reference: world.volume('reference'),
});

interface Refusal {
  readonly script: string;
  /** As `strerror(3)` has it. */
  readonly says: string;
  /** Where the reason is read, a script too. */
  readonly at: string;
  readonly reason: RegExp;
}

const LONG = "$(printf 'x%.0s' {1..256})";
const TOO_LONG = { says: 'File name too long', at: '$own', reason: /255 bytes/ };
const MAY_NOT_WRITE = { says: 'Permission denied', reason: /no write permission.*EACCES/ };
const NOT_IN_SHARED = { ...MAY_NOT_WRITE, at: '$shared/file' };
const RESERVED = { says: 'Operation not permitted', at: '$own', reason: /svc~/ };

const REFUSALS: readonly (readonly [what: string, refusal: Refusal])[] = [
  ['a file name over 255 bytes', { script: `cp $own/file $own/${LONG}`, ...TOO_LONG }],
  ['a folder name over 255 bytes', { script: `mkdir $own/${LONG}`, ...TOO_LONG }],
  [
    'a name under 256 characters and over 255 bytes',
    { script: "touch $own/$(printf 'é%.0s' {1..128})", ...TOO_LONG },
  ],
  ['a rename to a name over 255 bytes', { script: `mv $own/file $own/${LONG}`, ...TOO_LONG }],
  ['a folder name that stands for another', { script: 'mkdir $own/svc~new', ...RESERVED }],
  ['a folder renamed to stand for another', { script: 'mv $own/empty $own/svc~empty', ...RESERVED }],
  [
    'a folder name beginning with __ that is too long for the platform',
    { script: "mkdir $own/__$(printf 'x%.0s' {1..250})", ...RESERVED },
  ],
  [
    'a folder that is not empty',
    { script: 'rmdir $own/full', says: 'Directory not empty', at: '$own/full', reason: /ENOTEMPTY/ },
  ],
  [
    'a rename onto a folder that is not empty',
    { script: 'mv -T $own/empty $own/full', says: 'Directory not empty', at: '$own', reason: /ENOTEMPTY/ },
  ],
  ['a file in a read-only project', { script: 'cp $own/file $shared/', at: '$shared', ...MAY_NOT_WRITE }],
  ['a folder in a read-only project', { script: 'mkdir $shared/new', at: '$shared', ...MAY_NOT_WRITE }],
  ['a move into a read-only project', { script: 'mv $own/file $shared/', at: '$own/file', ...MAY_NOT_WRITE }],
  ['a write in a read-only project', { script: 'truncate -s 1 $shared/file', ...NOT_IN_SHARED }],
  ['a removal in a read-only project', { script: 'rm $shared/file', ...NOT_IN_SHARED }],
  ['a rename in a read-only project', { script: 'mv $shared/file $shared/new', ...NOT_IN_SHARED }],
  ['a move out of a read-only project', { script: 'mv $shared/file $own/', ...NOT_IN_SHARED }],
  ['a time in a read-only project', { script: 'touch $shared/file', ...NOT_IN_SHARED }],
  ['a mode in a read-only project', { script: 'chmod 600 $shared/file', ...NOT_IN_SHARED }],
  [
    'an attribute in a read-only project',
    { script: 'setfattr -n user.key -v x $shared/file', ...NOT_IN_SHARED },
  ],
  [
    'a file on a read-only volume',
    { script: 'cp $own/file $reference/', says: 'Read-only file system', at: '$reference', reason: /EROFS/ },
  ],
  [
    'bytes on a volume without a staging project',
    { script: 'echo x > $results/new', says: 'Read-only file system', at: '$results', reason: /staging/ },
  ],
  [
    'an attribute name over 100 bytes',
    {
      script: `setfattr -n user.${LONG.replace('256', '101')} -v x $own/file`,
      says: 'Numerical result out of range',
      at: '$own/file',
      reason: /100 bytes/,
    },
  ],
  [
    'an attribute value over 300 bytes',
    {
      script: `setfattr -n user.key -v ${LONG.replace('256', '301')} $own/file`,
      says: 'Argument list too long',
      at: '$own/file',
      reason: /300 bytes/,
    },
  ],
  [
    'an attribute value that is not UTF-8',
    {
      script: 'setfattr -n user.key -v 0xff41 $own/file',
      says: 'Invalid or incomplete multibyte',
      at: '$own/file',
      reason: /UTF-8/,
    },
  ],
];

describe('refused with a reason, and nothing is changed:', () => {
  it.each(REFUSALS)('%s', async (_what, { script, says, at, reason }) => {
    const tree = (): Promise<string> => shell('find $own $shared | sort', { env: env() });
    const before = await tree();
    const refused = await attempt('bash', ['-c', script], { env: env() });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(says) });
    expect(await errorOf((await shell(`echo ${at}`, { env: env() })).trim())).toMatch(reason);
    expect(await world.sandbox.logs()).toMatch(reason);
    expect(await tree()).toBe(before);
    expect(await world.leftovers()).toEqual([]);
  });
});

it('takes a name of 255 bytes', async () => {
  const file = world.own('n'.repeat(255));
  await shell(`echo x > ${file} && mv ${file} ${file.slice(0, -1)}m && rm ${file.slice(0, -1)}m`);
});

it('refuses pair 1001 of a file, and takes it when another is removed', async () => {
  const many = world.own('many');
  await shell(`echo x > ${many}`);
  const pairs = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, 'v']));
  await mustRun('python3', ['-c', SET_ALL, many, JSON.stringify(pairs)]);
  const refused = await attempt('setfattr', ['-n', 'user.more', '-v', 'x', many]);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('No space left on device') });
  expect(await errorOf(many)).toMatch(/1000 metadata pairs.*ENOSPC/);
  await shell(`setfattr -x user.key7 ${many} && setfattr -n user.more -v x ${many}`);
});

const SET_ALL = 'import os, sys; os.setxattr(sys.argv[1], "user.svc.metadata", sys.argv[2].encode())';

describe('no export is made of', () => {
  it.each([
    ['a public file', { public: true }],
    ['an archived file', { archived: true }],
  ])('%s', async (what, marks) => {
    await expectForbidden(await marked(what, marks));
  });

  it('a file of a hosted dataset, and none is asked for', async () => {
    const file = await marked('hosted', { dataset: 'population' });
    await world.remount();
    expect(await exportsAskedFor(() => expectForbidden(file))).toBe(0);
  });

  it('an alias, and none is asked for', async () => {
    const file = world.own('exported');
    await shell(`echo x > ${file} && mv ${file} ${world.volume('results', 'once')}`);
    expect(await exportsAskedFor(() => expectForbidden(file))).toBe(0);
  });

  async function marked(what: string, marks: Parameters<Operator['markFile']>[1]): Promise<string> {
    const file = world.own(what.replaceAll(' ', '-'));
    await shell(`echo x > ${file}`);
    const id = await mustRun('getfattr', ['--only-values', '-n', 'user.svc.id', file]);
    await world.operate((operator) => operator.markFile(id, marks));
    return file;
  }

  async function expectForbidden(file: string): Promise<void> {
    const refused = await attempt('mv', [file, world.volume('results', 'forbidden')]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Operation not permitted') });
    expect(await errorOf(file)).toMatch(/EPERM/);
    expect(await mustRun('cat', [file])).toBe('x\n');
  }

  async function exportsAskedFor(work: () => Promise<void>): Promise<number> {
    const before = world.proxy.requests.length;
    await work();
    const since = world.proxy.requests.slice(before);
    return since.filter(({ method, path }) => method === 'POST' && path.includes('export')).length;
  }
});
