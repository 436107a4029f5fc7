import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Command } from 'commander';
import { dirSync } from 'tmp';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { addStatusCommand } from '../../../../src/cli/commands/status.ts';
import type { InquiryAnswer } from '../../../../src/cli/mount/control-messages.ts';
import { inquire } from '../../../../src/cli/mount/inquire.ts';
import { packageVersion } from '../../../../src/cli/package-version.ts';
import { type MountRecord, writeRecord } from '../../../../src/cli/record.ts';
import { type MountDirectory, mountDirectory } from '../../../../src/config/directories.ts';
import { identify } from '../../../../src/lib/process-identity.ts';
import { someStatistics } from '../some-statistics.ts';

const STATUS: InquiryAnswer = {
  answer: 'status',
  uploads: [],
  jobs: [],
  edited: 0,
  rates: {},
  statistics: someStatistics(),
};

const IMPATIENT = { quietMs: 10, answerMs: 1000 };

let state: string;
beforeEach(() => {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(removeCallback);
  vi.stubEnv('XDG_STATE_HOME', name);
  onTestFinished(() => void vi.unstubAllEnvs());
  state = join(name, 'svcfs');
});

/** A mount that this process serves, as far as can be told. */
async function mountOn(mountPoint: string, changes: Partial<MountRecord> = {}): Promise<MountDirectory> {
  const directory = mountDirectory(state, mountPoint);
  await mkdir(directory.root, { recursive: true });
  const daemon = (await identify(process.pid))!;
  const version = packageVersion();
  await writeRecord(directory.record, {
    mountPoint,
    daemon,
    version,
    endpoint: 'http://127.0.0.1/v2',
    ...changes,
  });
  return directory;
}

async function answering({ socket }: MountDirectory, answer: (connection: Socket) => void): Promise<void> {
  const server = createServer((connection) => answer(connection.resume()));
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve(undefined))));
  server.listen(socket);
  await once(server, 'listening');
}

it('is told of every mount that answers; those that do not are named at the end', async () => {
  await mountOn('/mnt/a');
  await answering(await mountOn('/mnt/b'), (connection) => connection.end(`${JSON.stringify(STATUS)}\n`));
  await mountOn('/mnt/c');
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined);
  onTestFinished(() => log.mockRestore());
  const program = new Command();
  addStatusCommand(program);
  await expect(program.parseAsync(['status'], { from: 'user' })).rejects.toThrow(
    /^(?!.*\/mnt\/b)(?=.*\/mnt\/a: its process does not answer)(?=.*\/mnt\/c: its process does not answer)/s,
  );
  expect(log.mock.calls).toMatchObject([[expect.stringMatching(/^\/mnt\/b\n {2}/)]]);
});

it('is not waited for without end when a process is there and does not answer', async () => {
  const directory = await mountOn('/mnt/a');
  await answering(directory, () => undefined);
  const asking = inquire({ mountPoint: '/mnt/a', directory }, { request: 'status' }, { patience: IMPATIENT });
  await expect(asking).rejects.toThrow(
    new RegExp(
      `^/mnt/a: its process ${process.pid} has not answered since \\d{4}-\\S+Z .*svcfs unmount --force /mnt/a .*${directory.log}$`,
    ),
  );
});

it('is waited for as long as its process says that it works', async () => {
  const directory = await mountOn('/mnt/a');
  let pings = 0;
  await answering(directory, (connection) => {
    connection.once('data', (line) => {
      if (!String(line).includes('ping')) return void asked.push(connection);
      pings += 1;
      connection.end(`${JSON.stringify({ answer: 'alive' })}\n`);
      if (pings === 3) asked[0]?.end(`${JSON.stringify(STATUS)}\n`);
    });
  });
  const asked: Socket[] = [];
  const answer = await inquire(
    { mountPoint: '/mnt/a', directory },
    { request: 'status' },
    { patience: IMPATIENT },
  );
  expect(answer).toEqual(STATUS);
  expect(pings).toBe(3);
});

describe('a mount of another version', () => {
  it.each([
    { of: 'an earlier one', version: undefined, named: 'an earlier svcfs' },
    { of: 'one that is known', version: '0.0.9', named: 'svcfs 0.0.9' },
  ])('is named with how it is brought up to date: $of', async ({ version, named }) => {
    const directory = await mountOn('/mnt/a', { version });
    await answering(directory, (connection) => connection.end(`${JSON.stringify(STATUS)}\n`));
    const said = vi.spyOn(console, 'error').mockReturnValue(undefined);
    onTestFinished(() => said.mockRestore());
    await inquire({ mountPoint: '/mnt/a', directory }, { request: 'status' });
    const remedy = 'svcfs unmount /mnt/a and another svcfs mount bring it up to date';
    expect(said.mock.calls).toEqual([
      [`svcfs: /mnt/a is served by ${named}, and this command is svcfs ${packageVersion()}: ${remedy}`],
    ]);
  });

  it.each(['undefined', '{"answer":"other"}', 'null'])(
    'that answers %s does not know the request, which is told in words',
    async (line) => {
      const directory = await mountOn('/mnt/a');
      await answering(directory, (connection) => connection.end(`${line}\n`));
      await expect(inquire({ mountPoint: '/mnt/a', directory }, { request: 'jobs' })).rejects.toThrow(
        /does not know the request/,
      );
    },
  );
});
