import { once } from 'node:events';
import { chmod, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CliError } from '../../../../src/cli/exit-codes.ts';
import { askDaemon } from '../../../../src/cli/mount/ask-daemon.ts';
import type { ControlAnswer, ControlRequest } from '../../../../src/cli/mount/control-messages.ts';
import { type ControlHandler, listenForControl } from '../../../../src/cli/mount/control-server.ts';
import { waitUntil } from '../../../support/wait-until.ts';

const NOBODY = 65_534;

function socketPath(name = 'control'): string {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  return join(directory.name, name);
}

async function listen(path: string, handle: ControlHandler): Promise<void> {
  const server = await listenForControl(path, handle);
  onTestFinished(() => void server.close());
}

async function ask(path: string, request: ControlRequest = { request: 'unmount' }): Promise<ControlAnswer[]> {
  const answers: ControlAnswer[] = [];
  for await (const answer of askDaemon(path, request)) answers.push(answer);
  return answers;
}

describe('the control socket', () => {
  it('carries what the mount waits for, then the result', async () => {
    const path = socketPath();
    await listen(path, async (request, send) => {
      expect(request).toEqual({ request: 'unmount' });
      send({ answer: 'waiting', pending: ['a', 'b'] });
      return { answer: 'unmounted', left: [], refused: [] };
    });
    expect(await ask(path)).toEqual([
      { answer: 'waiting', pending: ['a', 'b'] },
      { answer: 'unmounted', left: [], refused: [] },
    ]);
  });

  it('keeps a message in one line, whatever file names are in it', async () => {
    const path = socketPath();
    const names = ['a\u2028b', 'c\u2029d', 'e\r\nf'];
    const sent: string[] = [];
    await listen(path, async (request) => {
      expect(request).toEqual({ request: 'warmup', paths: names });
      return { answer: 'unmounted', left: names, refused: [] };
    });
    const between = join(dirname(path), 'between');
    const relay = createServer((asker) => {
      const mount = connect(path);
      asker.on('data', (bytes) => sent.push(String(bytes))).pipe(mount);
      mount.on('data', (bytes) => sent.push(String(bytes))).pipe(asker);
    }).listen(between);
    onTestFinished(() => void relay.close());
    await once(relay, 'listening');
    expect(await ask(between, { request: 'warmup', paths: names })).toEqual([
      { answer: 'unmounted', left: names, refused: [] },
    ]);
    expect(sent.join('').match(/[\r\n\u2028\u2029]/g)).toEqual(['\n', '\n']);
  });

  it('tells why a request failed', async () => {
    const path = socketPath();
    await listen(path, () => Promise.reject(new Error('no luck')));
    expect(await ask(path)).toEqual([{ answer: 'failed', message: 'no luck' }]);
  });

  it('fires the signal when the asker goes away', async () => {
    const path = socketPath();
    let gone = false;
    await listen(path, (_, __, signal) => {
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          gone = true;
          reject(signal.reason);
        });
      });
    });
    const socket = connect(path);
    socket.write('{"request":"unmount"}\n', () => socket.destroy());
    await waitUntil(() => gone);
  });

  it('outlives an asker that goes away while it is answered', async () => {
    const path = socketPath();
    let asker: Socket | undefined;
    await listen(path, async () => {
      if (asker === undefined) return { answer: 'held', daemon: 1 };
      // That nobody reads the answer any more is not told before it is sent.
      await once(asker.destroy(), 'close');
      asker = undefined;
      return { answer: 'busy' };
    });
    asker = connect(path);
    asker.write('{"request":"unmount"}\n');
    await waitUntil(() => asker === undefined);
    expect(await ask(path)).toEqual([{ answer: 'held', daemon: 1 }]);
  });

  it('answers nothing when no process listens', async () => {
    expect(await ask(socketPath())).toEqual([]);
  });

  it('says to another user, in a line, who may ask and where else to look', async () => {
    const path = socketPath();
    await listen(path, async () => ({ answer: 'busy' }));
    await chmod(dirname(path), 0);
    // Root may pass everywhere.
    const isRoot = process.geteuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    const outcome = ask(path).finally(() => isRoot && process.seteuid?.(0));
    await expect(outcome).rejects.toThrow(CliError);
    await expect(outcome).rejects.toThrow(/only the user who mounted.*user\.svc\.error.*\.svcfs\/errors/);
    await chmod(dirname(path), 0o700);
  });

  it('lets one process serve a mount point', async () => {
    const path = socketPath();
    await listen(path, async () => ({ answer: 'busy' }));
    await expect(listen(path, async () => ({ answer: 'busy' }))).rejects.toMatchObject({
      exit: 'alreadyMounted',
    });
    expect(await ask(path)).toEqual([{ answer: 'busy' }]);
  });

  it('takes the place of a socket that a killed process left', async () => {
    const path = socketPath();
    await writeFile(path, '');
    await listen(path, async () => ({ answer: 'busy' }));
    expect(await ask(path)).toEqual([{ answer: 'busy' }]);
  });

  it('says when its path is too long for the system', async () => {
    const error: unknown = await listenForControl(socketPath('x'.repeat(120)), async () => ({
      answer: 'busy',
    })).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CliError);
    expect((error as CliError).message).toContain('XDG_STATE_HOME');
  });
});
