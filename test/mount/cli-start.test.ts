/** All commands begin alike, and print to the same streams. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { run } from '../support/run.ts';
import { test } from '../support/sandbox-test.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** A hook of Node.js (module.register) that prints the address of each module as it is loaded. */
const HOOK = 'export const load = (url, context, next) => (process._rawDebug(url), next(url, context));';
const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const printModules = asModule(
  `import { register } from 'node:module'; register(${JSON.stringify(asModule(HOOK))});`,
);

const ONLY_LATER =
  /^node_modules\/(fastify|kysely|typebox|undici|prom-client)\/|^src\/service\/(app|start-service|store\/(store|sqlite|postgres))\./;

/** The sources that a built file is made of: each stands in it below its name. */
async function sourcesIn(url: string): Promise<readonly string[]> {
  const text = await readFile(new URL(url), 'utf8');
  return [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, path = '']) => path);
}

test('a command loads neither the service nor libraries that only the service and a mount need', async ({
  sandbox,
}) => {
  const { code, stderr } = await sandbox.svcfs(['--version'], {
    env: { NODE_OPTIONS: `--import ${printModules}` },
  });
  const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'));
  expect(code).toBe(0);
  const sources = (await Promise.all(loaded.map(sourcesIn))).flat();
  expect(sources).toContain('src/cli/commands/serve.ts');
  expect(sources.filter((path) => ONLY_LATER.test(path))).toEqual([]);
});

test('a reader who has seen enough is no failure', async ({ sandbox }) => {
  const process_ = sandbox.start(['help', 'serve']);
  process_.closeStdout();
  expect(await process_.exited()).toBe(0);
  expect(process_.stderr).toBe('');
});

test('help names a command that is not there', async ({ sandbox }) => {
  const helped = await sandbox.svcfs(['help', 'bogus']);
  expect(helped).toMatchObject({ code: 2, stdout: '' });
  expect(helped.stderr).toContain("svcfs: unknown command 'bogus'");
  expect(await sandbox.svcfs(['help', 'mount'])).toMatchObject({ code: 0, stderr: '' });
});

test('a working directory that is gone, as in a mount that was unmounted, is told in one line', async ({
  sandbox,
}) => {
  const gone = join(sandbox.root, 'gone');
  const command = `mkdir ${gone} && cd ${gone} && rmdir ${gone} && exec "$0" "$@"`;
  const { code, stderr } = await run('sh', ['-c', command, process.execPath, MAIN, 'flush'], {
    env: sandbox.env,
  });
  expect({ code, stderr }).toEqual({
    code: EXIT_CODES.failure.code,
    stderr: expect.stringMatching(/^svcfs: the working directory is not there any more: [^\n]*\n$/),
  });
});

test.for([
  ['24', /^svcfs: too few files may be open at a time to start: .*ulimit -n 1024\n$/],
  ['64', /^svcfs: too few files may be open at a time to start: .*ulimit -n 1024\n$/],
  ['512', /^svcfs: only 512 files may be open at a time, and svcfs needs 1024: .*ulimit -n 1024.*\n$/],
] as const)(
  'a limit of %s open files is told in one line, with the remedy',
  async ([limit, said], { sandbox }) => {
    const credentials = ['--endpoint', 'http://127.0.0.1:1/v2'];
    for (const args of [
      ['mount', sandbox.mountPoint, ...credentials],
      ['serve', '--data', join(sandbox.root, 'data')],
      ['demo', sandbox.mountPoint],
      ['admin', 'users', 'list'],
    ]) {
      const command = `ulimit -n ${limit}; exec "$0" "$@"`;
      const { code, stderr } = await run('sh', ['-c', command, process.execPath, MAIN, ...args], {
        env: { ...sandbox.env, SVC_AUTH_TOKEN: 'token' },
      });
      expect(code, args[0]).toBe(EXIT_CODES.failure.code);
      expect(stderr, args[0]).toMatch(said);
    }
  },
);
