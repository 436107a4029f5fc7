/** `svcfs meta` with many files: its requests as a proxy before the service counts them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deferred } from '../../src/lib/deferred.ts';
import { MetadataWorld } from '../support/metadata-world.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { shell } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

const FILES = 6000;

let world: MetadataWorld;
let sandbox: Sandbox;
let proxy: RecordingProxy;
let folder: string;

beforeAll(async () => {
  world = await MetadataWorld.start();
  sandbox = await Sandbox.create();
  await world.folder('big', FILES, {
    metadata: (index) =>
      Object.fromEntries(Array.from({ length: 10 }, (_, key) => [`key${key}`, `v${index}-${key}`])),
  });
  await world.folder('small', 250);
  folder = `project:${world.project}/big`;
});
afterAll(async () => {
  await sandbox?.clean();
  await world?.stop();
});
beforeEach(async () => {
  proxy = await RecordingProxy.start(world.service.url);
});
afterEach(() => proxy.stop());

const at = (name: string): string => join(sandbox.root, name);
const environment = () => ({ SVC_API_ENDPOINT: `${proxy.url}/v2`, SVC_AUTH_TOKEN: world.alice.token });
const svcfs = (...args: string[]) => sandbox.svcfs(args, { env: environment() });

const taken = () => proxy.taken();

const LOOK = { 'POST /bulk/files/get': FILES / 100 };

describe('a table of 6,000 files with ten keys', () => {
  test('is exported, edited by awk, compared and imported, and costs nothing but the look the second time', async () => {
    const exported = await svcfs('meta', 'export', folder);
    await writeFile(at('t.tsv'), exported.stdout);
    expect(taken()).toEqual({
      [`GET /projects/${world.project}`]: 1,
      'GET /files': 1,
      'GET /files/ID/list': FILES / 100,
    });
    await shell(
      `awk -F'\\t' -v OFS='\\t' 'NR > 1 {for (i = 6; i <= NF; i++) $i = $i "!"} {print}' ${at('t.tsv')} > ${at('new.tsv')}`,
    );
    const diff = await svcfs('meta', 'diff', at('new.tsv'));
    expect({ code: diff.code, lines: diff.stdout.split('\n').length }).toEqual({
      code: 1,
      lines: FILES * 10 + 1,
    });
    expect(taken()).toEqual({ ...LOOK, [`GET /projects/${world.project}`]: 1 });
    const imported = await svcfs('meta', 'import', at('new.tsv'), '--undo', at('undo.tsv'));
    expect(imported).toMatchObject({ code: 0, stdout: expect.stringMatching(/^6000 files: 6000 changed\n/) });
    expect(taken()).toEqual({
      ...LOOK,
      [`GET /projects/${world.project}`]: 1,
      'POST /bulk/files/edit': FILES / 100,
    });
    const again = await svcfs('meta', 'import', at('new.tsv'));
    expect(again).toMatchObject({ code: 0, stdout: '6000 files: 0 changed, 6000 unchanged\n' });
    expect(taken()).toEqual(LOOK);
    expect((await readFile(at('undo.tsv'), 'utf8')).split('\n')).toHaveLength(FILES + 2);
  });
});

describe('Ctrl-C', () => {
  test('ends between two calls, tells what is done, and the next run does the rest', async () => {
    const { stdout } = await svcfs('meta', 'export', `project:${world.project}/small`);
    await writeFile(at('small.tsv'), stdout);
    await shell(`sed -i '1 s/$/\\tround/; 2,$ s/$/\\t1/' ${at('small.tsv')}`);
    const held = deferred();
    const edits = () => proxy.requests.filter(({ path }) => path.includes('bulk/files/edit')).length;
    proxy.hold = async ({ path }) =>
      path.includes('bulk/files/edit') && edits() === 2 ? held.promise : undefined;
    const command = sandbox.start(
      ['meta', 'import', at('small.tsv'), '--results', at('results.tsv')],
      environment(),
    );
    await waitUntil(() => edits() === 2);
    command.signal('SIGINT');
    await waitUntil(() => command.stderr.includes('ending after this request'));
    held.resolve();
    expect(await command.exited()).toBe(1);
    expect(command.stdout).toMatch(/^250 files: 200 changed, 50 not sent\n/);
    expect(command.stderr).toMatch(/svcfs: interrupted\n$/);
    expect((await readFile(at('results.tsv'), 'utf8')).match(/\tnot sent\t/g)).toHaveLength(50);
    expect((await svcfs('meta', 'import', at('results.tsv'))).stdout).toMatch(
      /^250 files: 50 changed, 200 unchanged\n/,
    );
  });
});
