/** Synthetic trees in a mount: what copies them, what walks the mount, and what each costs. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mustRun, run, shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

let served: ServedMount;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

/** Copies a tree by a tool, and answers where the copy is. */
const COPIES = {
  rsync: (from: string, to: string) => mustRun('rsync', ['-a', `${from}/`, to]),
  tar: async (from: string, to: string) => {
    await mustRun('mkdir', [to]);
    await shell(`tar -C '${from}' -cf - . | tar -C '${to}' -xf -`);
  },
  'shutil.copytree': (from: string, to: string) =>
    mustRun('python3', ['-c', 'import shutil, sys; shutil.copytree(*sys.argv[1:])', from, to]),
};

/** Files whose text is another at each look. */
const OF_THE_MOMENT = /^(stats|metrics)$/;

test.for(Object.entries(COPIES))('%s copies every synthetic file as cat shows it', async ([tool, copy]) => {
  const from = served.path('.svcfs');
  const to = join(served.sandbox.root, tool);
  await copy(from, to);
  const names = (await mustRun('find', [from, '-type', 'f', '-printf', '%P\\n'])).trim().split('\n');
  expect(names).toEqual(expect.arrayContaining(['version', 'config', 'stats', 'metrics', 'errors']));
  for (const name of names) {
    const copied = await readFile(join(to, name), 'utf8');
    if (OF_THE_MOMENT.test(name)) expect(copied).toMatch(/^(\{\n|# HELP)[\s\S]*\n$/);
    else expect(copied, name).toBe(await mustRun('cat', [join(from, name)]));
  }
});

test('.svcfs is found and not listed, and its files have their sizes', async () => {
  expect(await readdir(served.path())).not.toContain('.svcfs');
  expect((await stat(served.path('.svcfs/version'))).size).toBe(
    (await readFile(served.path('.svcfs/version'))).length,
  );
  expect(await run('test', ['-s', served.path('.svcfs/stats')])).toMatchObject({ code: 0 });
  const made = await run('bash', ['-c', 'echo x > version'], { cwd: served.path('.svcfs') });
  expect(made.stderr).toMatch(/version: (Permission denied|Read-only)/);
});
