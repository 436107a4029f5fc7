import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

const SCRIPT = fileURLToPath(new URL('../../../scripts/changed-tests.mjs', import.meta.url));

const FILES: Readonly<Record<string, string>> = {
  'src/low.ts': '',
  'src/high.ts': "import { low } from './low.ts';",
  'src/other.ts': '',
  'native/addon.cc': '',
  'test/support/sandbox.ts': '',
  'test/unit/high.test.ts': "import { high } from '../../src/high.ts';",
  'test/unit/other.test.ts': "import { other } from '../../src/other.ts';",
  'test/unit/readme.test.ts': "const readme = 'README.md';",
  'test/mount/mount.test.ts': "import { Sandbox } from '../support/sandbox.ts';",
  'test/long/long.test.ts': "import { low } from '../../src/low.ts';",
  'README.md': '',
};

const root = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
const git = async (...args: string[]): Promise<void> => {
  const settings = ['-c', 'user.name=test', '-c', 'user.email=test@example.org'];
  const { code, stderr } = await run('git', [...settings, ...args], { cwd: root.name });
  if (code !== 0) throw new Error(stderr);
};
const write = async (name: string, text: string): Promise<void> => {
  await mkdir(join(root.name, dirname(name)), { recursive: true });
  await writeFile(join(root.name, name), text);
};
const changedTests = async (): Promise<readonly string[]> =>
  (await run(process.execPath, [SCRIPT], { cwd: root.name })).stdout.split('\n').filter(Boolean);

beforeAll(async () => {
  for (const [name, text] of Object.entries(FILES)) await write(name, text);
  await git('init', '-q');
  await git('add', '-A');
  await git('commit', '-qm', 'first');
});
beforeEach(() => git('reset', '-q', '--hard'));
afterAll(() => root.removeCallback());

it('are none without a change', async () => {
  expect(await changedTests()).toEqual([]);
});

it('import what has changed, however far below, and with a change of src come those that start a mount', async () => {
  await write('src/low.ts', 'export const low = 1;');
  expect(await changedTests()).toEqual(['test/mount/mount.test.ts', 'test/unit/high.test.ts']);
});

it('imported what is removed', async () => {
  await rm(join(root.name, 'src/other.ts'));
  expect(await changedTests()).toEqual(['test/mount/mount.test.ts', 'test/unit/other.test.ts']);
});

it('name the document that has changed', async () => {
  await write('README.md', '# New');
  expect(await changedTests()).toEqual(['test/unit/readme.test.ts']);
});

it('start a mount when the addon has changed', async () => {
  await write('native/addon.cc', '// new');
  expect(await changedTests()).toEqual(['test/mount/mount.test.ts']);
});

it('are new themselves', async () => {
  await write('test/unit/new.test.ts', '');
  expect(await changedTests()).toEqual(['test/unit/new.test.ts']);
  await rm(join(root.name, 'test/unit/new.test.ts'));
});
