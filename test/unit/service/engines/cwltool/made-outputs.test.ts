import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  openOutput,
  readOutputObject,
  withListings,
} from '../../../../../src/service/engines/cwltool/made-outputs.ts';
import { TaskFailure } from '../../../../../src/service/engines/task-engine.ts';
import { run } from '../../../../support/run.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcfs-outputs-'));
});
afterEach(() => rm(directory, { recursive: true }));

const made = (name: string): string => join(directory, name);
const NO_FILES = [
  ['a named pipe, which nobody would end to read', () => run('mkfifo', [made('it')])],
  ['a folder', () => mkdir(made('it'))],
  ['a socket', listen],
  ['missing', () => undefined],
] as const;
const opened = (path: string) => openOutput(directory, pathToFileURL(path).href);

describe('an output', () => {
  it('is read when it is a file', async () => {
    await writeFile(made('file'), 'content');
    expect(await text(await opened(made('file')))).toBe('content');
  });

  it.each(NO_FILES)('is refused when it is %s', async (_, make) => {
    await make();
    await expect(opened(made('it'))).rejects.toThrow(TaskFailure);
  });

  it('is refused outside of the directory', async () => {
    await expect(opened('/etc/hostname')).rejects.toThrow(TaskFailure);
  });

  it('is refused when the directory is a link to another', async () => {
    await symlink('/etc', made('link'));
    const { href } = pathToFileURL(made('link/hostname'));
    await expect(openOutput(made('link'), href)).rejects.toThrow(TaskFailure);
  });
});

describe('a folder among the outputs', () => {
  const listed = (path: string) =>
    withListings({ made: { class: 'Directory', location: pathToFileURL(path).href } }, directory);

  it('is listed with all that is in it', async () => {
    await mkdir(made('folder/inner'), { recursive: true });
    await writeFile(made('folder/inner/file'), '');
    const listing = [{ class: 'Directory', basename: 'inner', listing: [{ basename: 'file' }] }];
    expect(await listed(made('folder'))).toMatchObject({ made: { listing } });
  });

  it('is refused outside of the directory, and where a link leads', async () => {
    await symlink('/etc', made('link'));
    for (const path of ['/etc', made('link')]) await expect(listed(path)).rejects.toThrow(TaskFailure);
  });
});

describe('what tells of the outputs', () => {
  it('is read when it is a file', async () => {
    await writeFile(made('it'), '{"made":1}');
    expect(await readOutputObject(made('it'))).toEqual({ made: 1 });
  });

  it.each([
    ...NO_FILES,
    [
      'a link',
      async () => {
        await writeFile(made('other'), '{}');
        await symlink('other', made('it'));
      },
    ],
  ] as const)('is refused when it is %s', async (_, make) => {
    await make();
    await expect(readOutputObject(made('it'))).rejects.toThrow(TaskFailure);
  });
});

async function listen(): Promise<void> {
  const server = createServer().listen(made('it'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}
