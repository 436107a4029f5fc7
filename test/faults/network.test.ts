/** Networks and busy services break single exchanges: no program notices more than a delay. */
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Fault, SeenRequest } from '../support/fault-proxy.ts';
import { attempt, errorOf, FaultWorld } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';

const MIB = 1024 * 1024;
/** More than one part, and more than goes in one call. */
const BIG_BYTES = 20 * MIB;
/** Less than what is read at once. */
const MIDWAY = 300_000;

let world: FaultWorld;
let big: string;
let small: string;

const isRange = ({ method, path }: SeenRequest): boolean => method === 'GET' && !path.startsWith('/v2/');
const isPart = ({ method }: SeenRequest): boolean => method === 'PUT';
const isListing = ({ method, path }: SeenRequest): boolean => method === 'GET' && /\/v2\/files/.test(path);
const hasBytes = ({ method, path }: SeenRequest): boolean => method === 'PUT' || /inline/.test(path);
const isCompletion = ({ method, path }: SeenRequest): boolean =>
  method === 'POST' && /complete|inline/.test(path);
const isApi = ({ path }: SeenRequest): boolean => path.startsWith('/v2/');
/** A POST to `bulk/files/get` only asks, of files opened one after the other whose facts are older than a second. */
const isChange = ({ method, path }: SeenRequest): boolean =>
  method !== 'GET' && path.startsWith('/v2/') && !path.startsWith('/v2/bulk/files/get');

afterEach(() => world.proxy.heal());
afterAll(() => world?.clean());

beforeAll(async () => {
  world = await FaultWorld.start();
  big = world.outside('big');
  small = world.outside('small');
  await shell(`head -c ${BIG_BYTES} /dev/urandom > ${big}; head -c 10000 /dev/urandom > ${small}`);
});

interface Trouble {
  readonly fault: Fault;
  readonly when: (request: SeenRequest) => boolean;
  readonly times: number;
}

describe('a download', () => {
  const TROUBLES: readonly (readonly [what: string, trouble: Trouble])[] = [
    ['reset midway', { fault: { kind: 'reset', afterBytes: MIDWAY }, when: isRange, times: 3 }],
    ['ended midway', { fault: { kind: 'truncate', afterBytes: MIDWAY }, when: isRange, times: 3 }],
    ['that stalls midway', { fault: { kind: 'stall', afterBytes: MIDWAY }, when: isRange, times: 2 }],
    ['of an expired link', { fault: { kind: 'answer', status: 403 }, when: isRange, times: 1 }],
    [
      'from a store that fails for a while',
      { fault: { kind: 'answer', status: 500 }, when: isRange, times: 4 },
    ],
    ['from a store that is busy', { fault: { kind: 'answer', status: 503 }, when: isRange, times: 4 }],
    ['over connections that close', { fault: { kind: 'drop' }, when: isRange, times: 4 }],
    [
      'from a store that ignores ranges for a while',
      { fault: { kind: 'answer', status: 200, body: 'not the range' }, when: isRange, times: 2 },
    ],
  ];
  const nameOf = (what: string): string => world.own(what.replaceAll(' ', '-'));

  // Read by a mount that has not seen the bytes, and soon takes a silent connection for a dead one.
  beforeAll(async () => {
    for (const [what] of TROUBLES) await shell(`cp ${big} ${nameOf(what)}`);
    await world.remount(['--retry-timeout', '5']);
  });
  afterAll(() => world.remount());

  it.each(TROUBLES)('%s brings the right bytes', async (what, { fault, when, times }) => {
    world.proxy.inject(fault, { when, times });
    await mustRun('cmp', [big, nameOf(what)]);
    expect(world.proxy.requests.filter(when).length).toBeGreaterThan(times);
  });

  it('from a store that always ignores ranges fails with EIO, and brings nothing', async () => {
    await shell(`cp ${big} ${nameOf('ignored')}`);
    await world.remount(['--retry-timeout', '5']);
    const fault = { kind: 'answer', status: 200, body: 'not the range' } as const;
    world.proxy.inject(fault, { when: isRange, times: Number.POSITIVE_INFINITY });
    await expect(shell(`head -c 4096 ${nameOf('ignored')}`)).rejects.toThrow('Input/output error');
  });

  it.each<readonly [string, Fault]>([
    ['never answers', { kind: 'latency', ms: 600_000 }],
    ['sends a byte and stalls, whenever asked', { kind: 'stall', afterBytes: 1 }],
  ])(
    'from a store that %s fails when the time is over, and is not tried for as long again',
    async (what, fault) => {
      await shell(`cp ${small} ${nameOf(what)}`);
      await world.remount(['--retry-timeout', '2']);
      const before = world.proxy.requests.filter(isRange).length;
      world.proxy.inject(fault, { when: isRange, times: Number.POSITIVE_INFINITY });
      await expect(shell(`head -c 4096 ${nameOf(what)}`)).rejects.toThrow('Input/output error');
      expect(world.proxy.requests.filter(isRange)).toHaveLength(before + 1);
    },
  );
});

describe('an upload', () => {
  const TROUBLES: readonly (readonly [what: string, trouble: Trouble])[] = [
    ['whose completion loses its answer', { fault: { kind: 'lose-answer' }, when: isCompletion, times: 1 }],
    ['whose completion is dropped', { fault: { kind: 'drop' }, when: isCompletion, times: 2 }],
    ['whose part loses its answer', { fault: { kind: 'lose-answer' }, when: isPart, times: 2 }],
    ['whose bytes arrive damaged', { fault: { kind: 'damage' }, when: hasBytes, times: 1 }],
    ['whose part link expired', { fault: { kind: 'answer', status: 403 }, when: isPart, times: 1 }],
    ['to a store that fails for a while', { fault: { kind: 'answer', status: 500 }, when: isPart, times: 4 }],
    [
      'to a service that fails for a while',
      { fault: { kind: 'answer', status: 502 }, when: isChange, times: 4 },
    ],
  ];

  it.each(
    TROUBLES.flatMap(([what, trouble]) => [
      { size: 'big', what, trouble },
      ...(trouble.when === isPart ? [] : [{ size: 'small', what, trouble }]),
    ]),
  )('of a $size file $what is there once, and right', async ({ size, what, trouble }) => {
    const name = `${size}-${what.replaceAll(' ', '-')}`;
    const { fault, when, times } = trouble;
    world.proxy.inject(fault, { when, times });
    await mustRun('cp', [world.outside(size), world.own(name)]);
    expect((await world.files()).filter((found) => found.includes(name))).toEqual([name]);
    const kept = await world.content(name);
    expect(kept.equals(await readFile(world.outside(size)))).toBe(true);
    expect(await world.leftovers()).toEqual([]);
  });
});

describe('a call', () => {
  it.each<readonly [string, Fault, number]>([
    ['answered 500', { kind: 'answer', status: 500 }, 2],
    ['answered 503', { kind: 'answer', status: 503, body: '{"code":90005}' }, 4],
    ['cut off', { kind: 'truncate', afterBytes: 40 }, 2],
    ['dropped', { kind: 'drop' }, 4],
  ])('%s for a while is made again', async (what, fault, times) => {
    const folder = world.own(`folder-${what.replaceAll(' ', '-')}`);
    await shell(`mkdir ${folder}; cp ${small} ${folder}/file`);
    await world.remount();
    world.proxy.inject(fault, { when: isListing, times });
    expect(await mustRun('ls', [folder])).toBe('file\n');
  });

  it.each<readonly [string, Fault]>([
    ['loses its answer', { kind: 'lose-answer' }],
    ['is dropped', { kind: 'drop' }],
    ['is answered 502', { kind: 'answer', status: 502 }],
  ])('that changes something and %s is made once', async (what, fault) => {
    const at = world.own(`changes-${what.replaceAll(' ', '-')}`);
    const scripts = [
      `mkdir ${at}`,
      `cp ${small} ${at}/file`,
      `setfattr -n user.sample -v s1 ${at}/file`,
      `mv ${at}/file ${at}/renamed`,
      `mkdir ${at}/sub`,
      `mv ${at}/renamed ${at}/sub`,
      `cp ${at}/sub/renamed ${at}/again`,
      `rm ${at}/again`,
      `setfattr -x user.sample ${at}/sub/renamed`,
    ];
    for (const script of scripts) {
      world.proxy.inject(fault, { when: isChange, times: 1 });
      await shell(script);
      world.proxy.heal();
    }
    await world.remount();
    expect(await shell(`cd ${at}; find . -mindepth 1 | sort; getfattr sub/renamed`)).toBe(
      './sub\n./sub/renamed\n',
    );
    await mustRun('cmp', [small, `${at}/sub/renamed`]);
  });
});

it('a page of a gateway that knows no such address makes nothing vanish', async () => {
  const file = world.own('behind-gateway');
  await shell(`cp ${small} ${file}`);
  await world.remount();
  await shell(`: < ${file}`);
  const page = { 'content-type': 'text/html' };
  world.proxy.inject({ kind: 'answer', status: 404, headers: page, body: '<html>' }, { when: isApi });
  for (const script of [`ls ${world.own()}`, `cat ${file}`, `ls ${world.own('not-yet-known')}`]) {
    const { stderr } = await attempt('bash', ['-c', script]);
    expect({ script, stderr }).toEqual({ script, stderr: expect.stringContaining('Input/output error') });
  }
  expect(await mustRun('cat', [world.sandbox.path('.svcfs/errors')])).toMatch(/not as the API does/);
  world.proxy.heal();
  await mustRun('cmp', [small, file]);
});

it('svcfs why tells of a path what failed on the way to it', async () => {
  const folder = world.own('on-the-way');
  const why = async (): Promise<string> =>
    (await world.sandbox.svcfs(['why', `${folder}/never-reached`])).stdout;
  await mustRun('mkdir', [folder]);
  await world.remount();
  world.proxy.inject({ kind: 'answer', status: 404 }, { when: isApi });
  expect(await attempt('ls', [`${folder}/never-reached`])).toMatchObject({ code: 2 });
  expect(await why()).toMatch(/lookup \/projects\/ann\S+\n.*EIO/);
  world.proxy.heal();
  await mustRun('ls', [folder]);
  expect(await why()).toMatch(/nothing has failed/);
});

it('a truncate(2) that fails leaves the file as it was, though nobody closes it', async () => {
  const file = world.own('cut');
  await shell(`echo old > ${file}`);
  world.proxy.inject({ kind: 'answer', status: 500 }, { when: isChange });
  const cut = `import os; os.truncate(${JSON.stringify(file)}, 1)`;
  expect(await attempt('python3', ['-c', cut])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Errno 5'),
  });
  world.proxy.heal();
  expect(await mustRun('stat', ['-c', '%s', file])).toBe('4\n');
  expect(await mustRun('cat', [file])).toBe('old\n');
});

it('an error that stays is told after a few tries, and leaves the old content', async () => {
  const file = world.own('stays');
  await shell(`echo old > ${file}`);
  world.proxy.inject({ kind: 'answer', status: 500 }, { when: isChange });
  const scripts = [`cp ${small} ${file}`, `truncate -s 1 ${file}`, `mv ${file} ${file}-moved`, `rm ${file}`];
  for (const script of scripts) {
    const { code, stderr } = await attempt('bash', ['-c', script]);
    expect({ script, code, stderr }).toEqual({
      script,
      code: 1,
      stderr: expect.stringContaining('Input/output error'),
    });
    expect(await errorOf(world.own())).toMatch(/stays.*EIO/);
    expect(await mustRun('cat', [file])).toBe('old\n');
  }
  world.proxy.heal();
  expect(await world.leftovers()).toEqual([]);
  await shell(`cp ${small} ${file}; truncate -s 1 ${file}; mv ${file} ${file}-moved; rm ${file}-moved`);
});
