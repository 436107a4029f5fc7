import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));

it('every promise of SEMANTICS.md names a test that exists', async () => {
  const text = await readFile(join(REPOSITORY, 'src/vfs/SEMANTICS.md'), 'utf8');
  const named = [...text.matchAll(/\*test: ([^*]+)\*/g)].map(([, name = '']) => name.replace(/\s+/g, ' '));
  expect(named.length).toBeGreaterThan(30);
  const tests = await testSources();
  // A name stands in the source as a string of its own, or as the first of a table of cases.
  const missing = named.filter((name) => !tests.includes(`'${name.replaceAll("'", "\\'")}'`));
  expect(missing).toEqual([]);
});

async function testSources(): Promise<string> {
  const directory = join(REPOSITORY, 'test');
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.test.ts'));
  return (await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')))).join('\n');
}
