/** Many programs use the same files at once, through two mounts of one account. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';
import { PlatformFiles } from './platform-files.ts';

const PROJECT = 'demo/rna-seq-study';
const PROGRAM = fileURLToPath(new URL('crowd.py', import.meta.url));
/** Of the comer at the second mount, the tenth program: the first may have seen them, and believes it for its TTL. */
const DISTANT_NAMES = /^(own|moved)-10\n/gm;
const SECONDS = Number(process.env['MODEL_SECONDS'] ?? 8);

let served: ServedMount;
let secondMount: string;

beforeAll(async () => {
  served = await ServedMount.start();
  secondMount = join(served.sandbox.root, 'second');
  await mkdir(secondMount);
  served.sandbox.alsoMounts(secondMount);
  const { code, stderr } = await served.sandbox.svcfs(['mount', secondMount, '--metadata-ttl', '1'], {
    env: { SVC_API_ENDPOINT: served.endpoint, SVC_AUTH_TOKEN: served.token },
  });
  if (code !== 0) throw new Error(stderr);
});
afterAll(() => served?.clean());

it(
  'nobody sees anything but whole files that only go forward',
  async () => {
    const here = served.path('projects', PROJECT, 'crowd');
    const there = join(secondMount, 'projects', PROJECT, 'crowd');
    await mkdir(here);
    await shell('for f in one two; do printf "1 0 0\n0 0\n" > $f; done', { cwd: here });
    const crowd = [
      ...['replacer', 'replacer', 'comer', 'comer', 'writer', 'writer', 'reader', 'reader'].map(
        (role) => [here, role] as const,
      ),
      ...['distant reader', 'comer'].map((role) => [there, role] as const),
    ];
    const programs = crowd.map(
      ([directory, role], number) =>
        new BackgroundProcess('python3', [PROGRAM, directory, role, `${number + 1}`, `${SECONDS}`]),
    );
    await Promise.all(programs.map((program) => program.exited()));
    const said = programs.flatMap(({ stdout }) => stdout.trim().split('\n')).map((line) => JSON.parse(line));
    expect(programs.map(({ stderr }) => stderr).join('')).toBe('');
    const work = said.filter(([what]) => what === 'done');
    expect(said.filter(([what]) => what !== 'done')).toEqual([]);
    expect(Math.min(...work.map(([, , , count]) => count))).toBeGreaterThan(0);
    await agree(here, there);
  },
  10 * 60_000,
);

/** Both mounts and the service have the same files, and nothing is left of what was on its way. */
async function agree(here: string, there: string): Promise<void> {
  const platform = new PlatformFiles(served);
  const entries = await platform.ofProject(PROJECT);
  const { id = '' } = entries.find(({ name }) => name === 'crowd') ?? {};
  const names = (await platform.entries(id)).map(({ name }) => `${name}\n`).join('');
  const state = (cwd: string): Promise<string> => shell('ls -A; md5sum one two', { cwd });
  expect((await state(here)).replace(DISTANT_NAMES, '')).toMatch(new RegExp(`^${names}`));
  const agree = async (): Promise<boolean> => (await state(there)) === (await state(here));
  await waitUntil(agree, { what: 'both mounts list the same', timeoutMs: 90_000 });
  expect(entries.filter(({ name }) => name.startsWith('.svcfs'))).toEqual([]);
  await waitUntil(async () => (await platform.uploads()).length === 0);
}
