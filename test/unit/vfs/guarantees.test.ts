/** GUARANTEES.md promises what tests hold, and SEMANTICS.md is the page that a user reads. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { promisesOf } from '../../support/promises-of.ts';

const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url));
const source = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8');

/** Each promise without a test, and each test that is named and does not exist. */
function unheld(markdown: string, tests: string): readonly string[] {
  return promisesOf(markdown).flatMap((promise) => {
    if (promise.tests.length === 0) return [`without a test: ${promise.text}`];
    // A name stands in the source as a string of its own, or as the first of a table of cases.
    const missing = promise.tests.filter((name) => !tests.includes(`'${name.replaceAll("'", "\\'")}'`));
    return missing.map((name) => `no such test: ${name}`);
  });
}

async function testSources(): Promise<string> {
  const names = await readdir(join(REPOSITORY, 'test'), { recursive: true });
  const tests = names.filter(
    (name) =>
      (name.endsWith('.test.ts') && !name.endsWith('guarantees.test.ts')) ||
      // A suite that several files run.
      name === 'support/volume-tools.ts',
  );
  return (await Promise.all(tests.map((name) => source(join('test', name))))).join('\n');
}

describe('GUARANTEES.md', () => {
  it('names for each promise tests that exist', async () => {
    const markdown = await source('src/vfs/GUARANTEES.md');
    expect(promisesOf(markdown).length).toBeGreaterThan(150);
    expect(unheld(markdown, await testSources())).toEqual([]);
  });

  it('is told of a promise without a test, and of a test that does not exist', () => {
    const markdown = [
      '- A file is\n  kept.\n  <!-- test: keeps a file -->\n',
      '- Two tests.\n  <!-- test:\n  - keeps a file\n  - keeps no other -->\n',
      '- No test.\n- A comment of something else. <!-- kept -->\n\n## Next\n',
    ].join('');
    expect(promisesOf(markdown)).toEqual([
      { text: 'A file is kept.', tests: ['keeps a file'] },
      { text: 'Two tests.', tests: ['keeps a file', 'keeps no other'] },
      { text: 'No test.', tests: [] },
      { text: 'A comment of something else.', tests: [] },
    ]);
    expect(unheld(markdown, "it('keeps a file', () => {})")).toEqual([
      'no such test: keeps no other',
      'without a test: No test.',
      'without a test: A comment of something else.',
    ]);
  });
});

describe('SEMANTICS.md', () => {
  it('is a page, and leads to sections that are there', async () => {
    const page = await source('src/vfs/SEMANTICS.md');
    expect(page.split('\n').length).toBeLessThanOrEqual(251);
    const paragraphs = page.split(/\n\n|\n(?=\d+\. )/).filter((block) => !/^[|#]/.test(block));
    expect(paragraphs.filter((paragraph) => paragraph.split(/\s+/).length > 80)).toEqual([]);
    const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });
});

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
}
