import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { expect, it, onTestFinished } from 'vitest';
import { unmount } from '../../../../src/cli/mount/unmount.ts';
import { writeRecord } from '../../../../src/cli/record.ts';
import { accountDirectory, mountDirectory } from '../../../../src/config/directories.ts';
import { Journal } from '../../../../src/content/write/journal/journal.ts';
import { identify, type ProcessIdentity } from '../../../../src/lib/process-identity.ts';

const ENDPOINT = 'http://127.0.0.1/v2';
const CLOSED = {
  id: 'a',
  label: 'a',
  createdMs: 1,
  target: { parent: 'p', name: 'a', overwrite: true },
  base: undefined,
  annotations: undefined,
  phase: 'publishing',
  publishedFileId: undefined,
  extents: [{ start: 0, end: 1024, origin: { kind: 'local' } }],
  upload: undefined,
} as const;

/** In the place of a mount's process: listens, and is killed when it is asked something. */
async function killedWhenAsked(socket: string): Promise<ProcessIdentity> {
  const process_ = spawn('sleep', ['60']);
  onTestFinished(() => void process_.kill('SIGKILL'));
  const server = createServer((asker) => {
    process_.kill('SIGKILL');
    asker.destroy();
  }).listen(socket);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const identity = await identify(process_.pid ?? 0);
  if (identity === undefined) throw new Error('not running');
  return identity;
}

it('names what waits when the process is killed meanwhile, and its watchdog has taken the mount away', async () => {
  const { name: root, removeCallback } = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  onTestFinished(removeCallback);
  const mountPoint = join(root, 'mnt');
  const directory = mountDirectory(join(root, 'state'), mountPoint);
  const account = accountDirectory(directory, { endpoint: ENDPOINT, username: 'ann' });
  await mkdir(account.uploads, { recursive: true });
  const journal = await Journal.open(account.uploads);
  journal.record({ type: 'draft', draft: CLOSED });
  await journal.close();
  await writeRecord(account.record, { mountPoint, endpoint: ENDPOINT, username: 'ann' });
  const daemon = await killedWhenAsked(directory.socket);
  await writeRecord(directory.record, { mountPoint, endpoint: ENDPOINT, account: account.name, daemon });
  expect(await unmount({ mountPoint, directory, deviceMinor: 1 }, () => {})).toEqual({
    answer: 'recovered',
    waiting: [expect.stringContaining('not uploaded yet: 1 file (1 KiB)')],
  });
});
