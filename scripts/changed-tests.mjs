/**
 * Prints the test files that can fail by the changes since origin/main, committed or not; since HEAD where there is no origin/main, or
 * since the ref given.
 *
 * These are the tests that import what has changed, however far below. Mounts run `dist`, which is compiled from all of `src` and
 * `native`: so the tests that start one come with every change of these. A document brings the tests of test/unit and test/service
 * that name it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The file that every test imports which runs `dist`. */
const RUNS_DIST = 'test/support/sandbox.ts';
const COMPILED = /^(src|native)\/.*\.(ts|cc|h)$|^native\/.*Makefile$/;
/** Any test may fail by a change of these. */
const OF_ALL = /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig.*\.json)$/;
const IMPORTS = /(?:from|import)\s*\(?\s*'(\.[^']+)'|new URL\('(\.[^']+)', import\.meta\.url\)/g;
/** `scripts/test --long` has these. */
const LONG = /^test\/long\/|^test\/model\/crash\.test\.ts$/;

const git = (...args) =>
  execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);

function base() {
  try {
    return process.argv[2] ?? git('merge-base', 'HEAD', 'origin/main')[0];
  } catch {
    return 'HEAD';
  }
}

const untracked = git('ls-files', '--others', '--exclude-standard');
const changed = [...git('diff', '--name-only', '--no-renames', base(), '--'), ...untracked];
const sources = new Map();
for (const name of [...git('ls-files', 'src', 'test', 'scripts'), ...untracked]) {
  if (/\.[cm]?[jt]s$/.test(name) && existsSync(name)) sources.set(name, readFileSync(name, 'utf8'));
}
const importers = new Map();
for (const [name, text] of sources) {
  for (const [, imported, located] of text.matchAll(IMPORTS)) {
    const target = join(dirname(name), imported ?? located);
    importers.set(target, [...(importers.get(target) ?? []), name]);
  }
}

function readersOf(document) {
  const isReader = ([name, text]) =>
    /^test\/(unit|service)\//.test(name) && text.includes(basename(document));
  return [...sources].filter(isReader).map(([name]) => name);
}

const reached = new Set();
const waiting = changed.flatMap((name) => (/\.(md|json)$/.test(name) ? readersOf(name) : [name]));
if (changed.some((name) => COMPILED.test(name))) waiting.push(RUNS_DIST);
if (changed.some((name) => OF_ALL.test(name))) waiting.push(...sources.keys());
for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
  if (reached.has(name)) continue;
  reached.add(name);
  waiting.push(...(importers.get(name) ?? []));
}
const tests = [...reached].filter(
  (name) => name.endsWith('.test.ts') && sources.has(name) && !LONG.test(name),
);
process.stdout.write(
  tests
    .sort()
    .map((name) => `${name}\n`)
    .join(''),
);
