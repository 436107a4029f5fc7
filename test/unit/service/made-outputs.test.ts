import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openOutput } from '../../../src/service/executors/cwltool/made-outputs.ts';
import { TaskFailure } from '../../../src/service/executors/task-engine.ts';
import { run } from '../../support/run.ts';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svcfs-outputs-'));
});
afterEach(() => rm(directory, { recursive: true }));

const made = (name: string): string => join(directory, name);
const opened = (path: string) => openOutput(directory, pathToFileURL(path).href);

describe('an output', () => {
  it('is read when it is a file', async () => {
    await writeFile(made('file'), 'content');
    expect(await text(await opened(made('file')))).toBe('content');
  });

  it.each([
    ['a named pipe, which nobody would end to read', () => run('mkfifo', [made('it')])],
    ['a folder', () => mkdir(made('it'))],
    ['a socket', listen],
    ['missing', () => undefined],
  ])('is refused when it is %s', async (_, make) => {
    await make();
    await expect(opened(made('it'))).rejects.toThrow(TaskFailure);
  });

  it('is refused outside of the directory', async () => {
    await expect(opened('/etc/hostname')).rejects.toThrow(TaskFailure);
  });
});

async function listen(): Promise<void> {
  const server = createServer().listen(made('it'));
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}
