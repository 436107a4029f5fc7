import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../../../src/cli/exit-codes.ts';
import { createProgram } from '../../../src/cli/program.ts';
import { DEMO_OPTIONS } from '../../../src/config/demo-options.ts';
import { MOUNT_OPTIONS } from '../../../src/config/mount-options.ts';
import { SERVE_OPTIONS } from '../../../src/config/serve-options.ts';

const command = (name: string) => createProgram().commands.find((candidate) => candidate.name() === name);

async function sources(): Promise<readonly string[]> {
  const source = new URL('../../../src/', import.meta.url);
  const names = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'));
  return Promise.all(names.map((name) => readFile(new URL(name, source), 'utf8')));
}

describe('the command line', () => {
  it('has the commands and options that scripts rely on', () => {
    const flags = (name: string) => command(name)?.options.map(({ long }) => long);
    expect(flags('serve')).toEqual(expect.arrayContaining(['--data', '--listen', '--demo', '--rate-limit']));
    expect(flags('mount')).toEqual(
      expect.arrayContaining([
        '--endpoint',
        '--token-file',
        '--profile',
        '--foreground',
        '--read-only',
        '--driver',
      ]),
    );
    expect(flags('demo')).toEqual(expect.arrayContaining(['--detach', '--stop', '--data']));
    expect(flags('unmount')).toEqual(['--force', '--quiet', '--json']);
    const subcommands = (name: string) => command(name)?.commands.map((each) => each.name());
    expect(subcommands('jobs')).toEqual(expect.arrayContaining(['list', 'wait']));
  });

  it('has every command that a message of svcfs tells a person to use', async () => {
    const texts = await sources();
    const advice = /(?:(?:use|run) |\()svcfs ([a-z]+)|svcfs ([a-z]+)(?: list)? (?:tells|shows)/g;
    const told = texts.flatMap((text) => [...text.matchAll(advice)].map(([, one, other]) => one ?? other));
    const known = new Set(createProgram().commands.map((each) => each.name()));
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter((name) => !known.has(name ?? ''))).toEqual([]);
  });

  it('gives each declared option under the name it is declared by', () => {
    for (const [name, declared] of [
      ['mount', MOUNT_OPTIONS],
      ['serve', SERVE_OPTIONS],
      ['demo', DEMO_OPTIONS],
    ] as const) {
      const attributes = command(name)?.options.map((option) => option.attributeName());
      expect(attributes).toEqual(Object.keys(declared));
    }
  });
});

describe('the exit codes', () => {
  const codes = Object.values(EXIT_CODES);

  it('are all different', () => {
    expect(new Set(codes.map(({ code }) => code)).size).toBe(codes.length);
  });
});

describe('CONFIGURATION.md', () => {
  // The page is written from the options themselves; `npm run check` finds the parts that a commit leaves stale.
  it('has every variable that the code knows', async () => {
    const page = await readFile(new URL('../../../src/config/CONFIGURATION.md', import.meta.url), 'utf8');
    const known = (await sources()).flatMap(
      (text) => text.match(/(?<=['"])(?:SVC|XDG)[A-Z]*_[A-Z_]+(?=['"])/g) ?? [],
    );
    expect(new Set(known).size).toBeGreaterThan(40);
    expect([...new Set(known)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});

describe('the documents', () => {
  const root = new URL('../../../', import.meta.url);
  const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');

  it.each([
    ['demo', 'README.md'],
    ['setup', 'CONTRIBUTING.md'],
    ['test', 'CONTRIBUTING.md'],
    ['bench', 'CONTRIBUTING.md'],
    ['conformance', 'CONTRIBUTING.md'],
  ])('tell of scripts/%s in %s', (name, document) => {
    expect(read(document)).toMatch(new RegExp(`^scripts/${name}\\b.*#`, 'm'));
    expect(existsSync(new URL(`scripts/${name}`, root))).toBe(true);
  });

  it.each(['README.md', 'CONTRIBUTING.md', 'src/cli/TROUBLESHOOTING.md', 'test/bench/COMPARISON.md'])(
    'lead to what is there: %s',
    (document) => {
      const text = read(document);
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
        ([, link]) => new URL(link ?? '', new URL(document, root)),
      );
      const paths = [...text.matchAll(/`((?:src|test|native|scripts)\/[\w./-]+)`/g)].map(
        ([, path]) => new URL(path ?? '', root),
      );
      expect(links.length + paths.length).toBeGreaterThan(0);
      expect([...links, ...paths].filter((target) => !existsSync(target)).map(String)).toEqual([]);
    },
  );

  it('run tests that are there: CONTRIBUTING.md', async () => {
    const named = read('CONTRIBUTING.md').match(/(?<=vitest run[^`]* |--long )test\/[\w./-]+/g) ?? [];
    const names = (await readdir(new URL('test', root), { recursive: true })).map((name) => `test/${name}`);
    expect(named.length).toBeGreaterThan(20);
    expect(
      named.filter((filter) => !names.some((name) => name.endsWith('.test.ts') && name.startsWith(filter))),
    ).toEqual([]);
  });
});
