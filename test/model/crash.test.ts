/**
 * The daemon is killed with SIGKILL at moments nobody chose, while programs write, sync, close and rename. After the
 * next mount everything that was answered with 0 must be there, and nothing half done.
 */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';
import { PlatformFiles } from './platform-files.ts';
import { type Promises, promisesOf, versionOf } from './promises.ts';

const PROJECT = 'demo/rna-seq-study';
const PROGRAM = fileURLToPath(new URL('kept-promises.py', import.meta.url));
const IS_LONG = process.env['SVCFS_LONG'] === '1';
/** In each mode. */
const KILLS = Number(process.env['MODEL_KILLS'] ?? (IS_LONG ? 200 : 4));
const SEED = Number(process.env['MODEL_SEED'] ?? 1);
/** A mount point that is not free by then hangs. */
const HEALED_WITHIN_MS = 10_000;
const ROUND_TIMEOUT_MS = 60_000;
/** More than what goes in one call. */
const LARGEST_BYTES = 20_000_000;

let served: ServedMount;
let platform: PlatformFiles;

beforeAll(async () => {
  served = await ServedMount.start();
  platform = new PlatformFiles(served);
});
afterAll(() => served?.clean());

/**
 * An upload whose initialisation had no answer yet when the kill came: nobody here knows its id. The service's times
 * are whole seconds.
 */
function beganJustBefore(killedMs: number, initiated: string): boolean {
  return Math.abs(killedMs - Date.parse(initiated)) <= 2000;
}

async function killDaemon(): Promise<void> {
  const daemon = (await served.sandbox.processes()).find(({ command }) => command.includes('daemon.js'));
  if (daemon === undefined) throw new Error('no daemon');
  process.kill(daemon.pid, 'SIGKILL');
}

/** Files that the mount put aside for a person, by name. */
async function keptFiles(): Promise<Map<string, Buffer>> {
  const state = join(served.sandbox.root, 'state');
  const kept = new Map<string, Buffer>();
  for (const path of await readdir(state, { recursive: true }))
    if (/recovered\/[^/]+$/.test(path))
      kept.set(path.split('/').at(-1) ?? '', await readFile(join(state, path)));
  return kept;
}

async function checkPromises(directory: string, { closed, tried, synced }: Promises): Promise<void> {
  const folder = (await platform.ofProject(PROJECT)).find(({ name }) => name === directory);
  const entries = await platform.entries(folder?.id ?? '');
  const there = new Map(entries.map(({ name, id }) => [name, id]));
  for (const [name, version] of closed) {
    const id = there.get(name);
    expect(id, `${name} was closed at version ${version}`).toBeDefined();
    const found = versionOf(name, await platform.content(id ?? ''));
    expect(found, name).toBeGreaterThanOrEqual(version);
    expect(found, name).toBeLessThanOrEqual(tried.get(name) ?? 0);
  }
  for (const name of there.keys()) expect(name).toMatch(/^(file-\d(\.tmp)?|log-\d+-\d+)$/);
  const kept = [...(await keptFiles())];
  for (const [name, { version, sizeBytes }] of synced) {
    const id = there.get(name);
    const [, bytes] = kept.find(([keptName]) => keptName.startsWith(`${name}.`)) ?? [];
    const found = bytes ?? (await platform.content(id ?? ''));
    expect(versionOf(name, found), name).toBe(version);
    expect(found.length, name).toBe(sizeBytes);
  }
}

describe('keeps what it acknowledged, whenever it is killed', () => {
  it.each([
    ['a close that waits for its upload', [], SEED],
    ['a close whose upload follows', ['--write-back'], SEED + 1000],
  ])(
    'with %s',
    async (mode, mountArgs, firstSeed) => {
      process.stderr.write(`MODEL_SEED=${SEED}\n`);
      await served.unmount();
      await served.mount(mountArgs);
      for (let round = 0; round < KILLS; round += 1) {
        const directory = `${mode} ${round}`;
        await mkdir(served.path('projects', PROJECT, directory));
        const before = new Set((await platform.uploads()).map((upload) => upload.upload_id));
        const path = served.path('projects', PROJECT, directory);
        const program = new BackgroundProcess('python3', [
          PROGRAM,
          path,
          `${firstSeed + round}`,
          `${LARGEST_BYTES}`,
        ]);
        await program.says(/closed/);
        await delay(((firstSeed + round * 7919) % 1500) + 1);
        await killDaemon();
        const killedMs = Date.now();
        await waitUntil(async () => (await mountedOn(served.sandbox.mountPoint)) === undefined, {
          what: `unmounted after kill ${round + 1}`,
          timeoutMs: HEALED_WITHIN_MS,
        });
        await program.says(/ended/);
        await served.mount(mountArgs);
        await waitUntil(async () => (await readdir(served.path('.svcfs', 'uploads'))).length === 0, {
          timeoutMs: 30_000,
        });
        await checkPromises(directory, promisesOf(program.stdout));
        const isLeft = (upload: { readonly upload_id: string; readonly initiated: string }): boolean =>
          !before.has(upload.upload_id) && !beganJustBefore(killedMs, upload.initiated);
        await waitUntil(async () => !(await platform.uploads()).some(isLeft), { what: 'no upload is left' });
      }
      const names = (await platform.ofProject(PROJECT)).map(({ name }) => name);
      expect(names.filter((name) => name.startsWith('.svcfs'))).toEqual([]);
    },
    Math.max(10 * 60_000, KILLS * ROUND_TIMEOUT_MS),
  );
});
