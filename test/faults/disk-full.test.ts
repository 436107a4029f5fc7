/** No room at the service, or for the spool: told as ENOSPC, nothing half done stays, and it works when there is room. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Journal } from '../../src/content/write/journal/journal.ts';
import { attempt, errorOf, FaultWorld, type FaultWorldOptions } from '../support/fault-world.ts';
import { mustRun, shell } from '../support/run.ts';
import { MAY_MOUNT, SmallDisk } from '../support/small-disk.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const NO_SPACE = 'No space left on device';

let disk: SmallDisk;
let world: FaultWorld;
let big: string;
let small: string;

async function begin(place: (path: string) => FaultWorldOptions): Promise<void> {
  disk = await SmallDisk.mount(96 * MIB);
  world = await FaultWorld.start(place(disk.path));
  big = world.outside('big');
  small = world.outside('small');
  await shell(`head -c ${40 * MIB} /dev/urandom > ${big}; head -c 100000 /dev/urandom > ${small}`);
}

async function end(): Promise<void> {
  await world?.clean();
  await disk?.unmount();
}

/** A program is told that there is no space, and a person where. */
async function expectNoSpace(script: string, reason: RegExp): Promise<void> {
  const { code, stderr } = await attempt('bash', ['-c', script]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(NO_SPACE) });
  expect(await errorOf(world.own())).toMatch(reason);
}

/** A full disk may still have a part of a page for it. */
async function leaveNoRoomInLog(): Promise<void> {
  await shell(`for i in $(seq 50); do ! mkdir ${world.own('svc~refused')} || exit 1; done 2> /dev/null`);
}

describe.skipIf(!MAY_MOUNT)('a full disk of the service', () => {
  beforeAll(() => begin((path) => ({ data: path })));
  afterAll(end);
  afterEach(() => disk.empty());

  it.each([
    ['big', 20 * MIB],
    ['small', 0],
  ])('refuses a %s file, and takes it when there is room', async (name, freeBytes) => {
    const [source, target] = [world.outside(name), world.own(name)];
    await disk.fill(freeBytes);
    await expectNoSpace(`cp ${source} ${target}`, /ENOSPC/);
    expect(await world.sandbox.logs()).toMatch(new RegExp(`${name}.*ENOSPC`));
    await disk.empty();
    await waitUntil(async () => (await world.leftovers()).length === 0);
    expect(await world.files()).not.toContain(name);
    await shell(`cp ${source} ${target} && cmp ${source} ${target}`);
  });

  it('refuses a folder and an attribute, and takes them when there is room', async () => {
    await shell(`cp ${small} ${world.own('described')}`);
    await disk.fill();
    const scripts = [`mkdir ${world.own('folder')}`, `setfattr -n user.key -v x ${world.own('described')}`];
    for (const script of scripts) await expectNoSpace(script, /ENOSPC/);
    await disk.empty();
    await shell(scripts.join('; '));
  });

  it('keeps the old content of a file that is overwritten', async () => {
    await shell(`echo old > ${world.own('old')}`);
    await disk.fill();
    await expectNoSpace(`cp ${small} ${world.own('old')}`, /ENOSPC/);
    expect(await mustRun('cat', [world.own('old')])).toBe('old\n');
  });
});

describe.skipIf(!MAY_MOUNT)('a disk of the spool that has no room for the journal', () => {
  beforeAll(async () => {
    disk = await SmallDisk.mount(MIB);
  });
  afterAll(() => disk.unmount());

  it('is told as a full disk, and the journal goes on when there is room', async () => {
    const journal = await Journal.open(disk.path);
    await disk.fill();
    for (let count = 0; count < 100; count += 1) journal.record({ type: 'end', id: 'x'.repeat(100) });
    await expect(journal.durable()).rejects.toMatchObject({
      kind: 'no-space',
      message: expect.stringContaining(
        `the disk of the spool directory ${disk.path} is full; free space there`,
      ),
    });
    await disk.empty();
    await journal.durable();
    await journal.close();
  });
});

describe.skipIf(!MAY_MOUNT)('a full disk of the spool', () => {
  beforeAll(() => begin((path) => ({ state: path })));
  afterAll(end);
  afterEach(() => disk.empty());

  it.each([
    ['big', 8 * MIB],
    ['small', 0],
  ])('refuses a %s file, and takes it when there is room', async (name, freeBytes) => {
    const [source, target] = [world.outside(name), world.own(name)];
    // Without spools of published files, which would give their room up.
    await world.remount();
    await disk.fill(freeBytes);
    await expectNoSpace(`cp ${source} ${target}`, /spool.*full.*ENOSPC/);
    await disk.empty();
    await waitUntil(async () => (await world.leftovers()).length === 0);
    await shell(`cp ${source} ${target} && cmp ${source} ${target}`);
  });

  it('takes a file that is larger than what it has free: parts that were sent are let go of', async () => {
    await disk.fill(28 * MIB);
    await shell(`cp ${big} ${world.own('larger')}`);
    await disk.empty();
    await shell(`cmp ${big} ${world.own('larger')}`);
    expect(await world.leftovers()).toEqual([]);
  });

  it('reads and lists all the same, even with no room for its log', async () => {
    await shell(`cp ${small} ${world.own('readable')}`);
    await world.remount();
    await disk.fill();
    await leaveNoRoomInLog();
    await shell(`ls ${world.own()} && cmp ${small} ${world.own('readable')}`);
    await disk.empty();
    await shell(`cp ${small} ${world.own('written')}`);
  });

  it('lets the mount end as ever, with a mode of a folder that cannot be kept', async () => {
    const stateOf = (name: string) => shell(`find ${disk.path} -name ${name}`);
    await shell(`mkdir $(dirname ${await stateOf('account.json')})/folders.json.new`);
    await shell(`mkdir ${world.own('folder')} && chmod 700 ${world.own('folder')}`);
    expect(await stateOf('mount.json')).not.toBe('');
    expect(await world.unmount()).toMatchObject({ code: 0, stderr: '' });
    expect(await stateOf('mount.json')).toBe('');
    await world.mount();
  });
});

describe.skipIf(!MAY_MOUNT)('a full disk of the log', () => {
  const mountArgs = ['--write-back', '--retry-timeout', '1'];
  beforeAll(() => begin((path) => ({ state: path, mountArgs })));
  afterAll(end);

  it('ends neither the mount nor the upload that follows a close', async () => {
    const target = world.own('closed');
    const uploads = () => world.proxy.requests.filter(({ path }) => path.includes('/upload/')).length;
    world.proxy.inject({ kind: 'answer', status: 503 }, { when: ({ path }) => path.includes('/upload/') });
    await shell(`cp ${small} ${target}`);
    await disk.fill();
    await leaveNoRoomInLog();
    const before = uploads();
    await waitUntil(() => uploads() > before + 4, { what: 'the upload is tried again' });
    await shell(`cmp ${small} ${target}`);
    await disk.empty();
    world.proxy.heal();
    await waitUntil(async () => (await world.files()).includes('closed'));
    await shell(`cmp ${small} ${target}`);
  });
});
