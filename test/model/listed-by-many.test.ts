/** Many programs list one directory at once, and some make and remove files in it. */
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BackgroundProcess } from '../support/background-process.ts';
import { ServedMount } from '../support/served-mount.ts';

const PROGRAM = fileURLToPath(new URL('listed-by-many.py', import.meta.url));
const SECONDS = process.env['MODEL_SECONDS'] ?? '8';

let served: ServedMount;

beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

it(
  'who makes or removes a file lists it so, whatever the kernel took in for others meanwhile',
  async () => {
    const directory = served.path('projects', 'demo/rna-seq-study', 'listed');
    await mkdir(directory);
    const roles = ['maker', 'maker', 'maker', 'reader', 'reader', 'reader'];
    const programs = roles.map(
      (role, number) => new BackgroundProcess('python3', [PROGRAM, directory, role, `${number}`, SECONDS]),
    );
    await Promise.all(programs.map((program) => program.exited()));
    expect(programs.map(({ stderr }) => stderr).join('')).toBe('');
    const said = programs.flatMap(({ stdout }) => stdout.trim().split('\n')).map((line) => JSON.parse(line));
    expect(said.filter(([what]) => what !== 'done')).toEqual([]);
    for (const [, count] of said) expect(count).toBeGreaterThan(100);
  },
  10 * 60_000,
);
