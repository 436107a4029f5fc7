import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startDemoService } from '../../../../src/cli/demo/start-demo-service.ts';

let root: string;
beforeEach(() => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(removeCallback);
  root = name;
});

function start(): ReturnType<typeof startDemoService> {
  return startDemoService({
    data: join(root, 'data'),
    log: join(root, 'log'),
    preferredPort: undefined,
    onProcess: async () => {},
    signal: new AbortController().signal,
  });
}

describe('the service of a demo', () => {
  it('that cannot be started is told in one line', async () => {
    const { execPath } = process;
    onTestFinished(() => {
      process.execPath = execPath;
    });
    process.execPath = '/nowhere/node';
    await expect(start()).rejects.toMatchObject({
      exit: 'failure',
      message: 'the service cannot be started: no such file or directory (/nowhere/node)',
    });
  });

  it('whose log cannot be written is not started, and that is told in one line', async () => {
    await mkdir(join(root, 'log'));
    await expect(start()).rejects.toMatchObject({
      exit: 'failure',
      message: expect.stringMatching(/^cannot write the log .*log: illegal .*; set XDG_STATE_HOME/),
    });
  });
});
