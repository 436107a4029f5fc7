import { appendFile, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { waitingElsewhere } from '../../../../src/cli/mount/waiting-elsewhere.ts';
import { writeRecord } from '../../../../src/cli/record.ts';
import {
  type AccountDirectory,
  accountDirectory,
  mountDirectory,
} from '../../../../src/config/directories.ts';
import { Journal } from '../../../../src/content/write/journal/journal.ts';
import type { DraftState } from '../../../../src/content/write/journal/journal-entry.ts';
import { identify } from '../../../../src/lib/process-identity.ts';

const MOUNT_POINT = '/mnt/a';
const ENDPOINT = 'http://127.0.0.1/v2';
const SAID = `to upload them mount ${ENDPOINT} (user ann) on ${MOUNT_POINT} again`;

let state: string;
let account: AccountDirectory;
beforeEach(async () => {
  const { name, removeCallback } = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  onTestFinished(removeCallback);
  state = name;
  account = await accountOf('ann');
});

const directory = () => mountDirectory(state, MOUNT_POINT);
const journal = (): string => join(account.uploads, 'journal');

async function accountOf(username: string): Promise<AccountDirectory> {
  const made = accountDirectory(directory(), { endpoint: ENDPOINT, username });
  await mkdir(made.uploads, { recursive: true });
  await writeRecord(made.record, { mountPoint: MOUNT_POINT, endpoint: ENDPOINT, username });
  return made;
}

function closed(id: string, others: Partial<DraftState> = {}): DraftState {
  return {
    id,
    label: id,
    createdMs: 1,
    target: { parent: 'p', name: id, overwrite: true },
    base: undefined,
    annotations: undefined,
    phase: 'publishing',
    publishedFileId: undefined,
    extents: [
      { start: 0, end: 1024, origin: { kind: 'local' } },
      { start: 1024, end: 4096, origin: { kind: 'hole' } },
    ],
    upload: undefined,
    ...others,
  };
}

async function leave(drafts: readonly DraftState[], { uploads } = account): Promise<void> {
  const left = await Journal.open(uploads);
  for (const draft of drafts) left.record({ type: 'draft', draft });
  await left.close();
}

/** As of a mount that this process serves. */
async function live(served: string | undefined): Promise<void> {
  const daemon = await identify(process.pid);
  if (daemon === undefined) throw new Error('not running');
  const record = { mountPoint: MOUNT_POINT, endpoint: ENDPOINT, account: served, daemon };
  await writeRecord(directory().record, record);
}

describe('files that wait for a mount', () => {
  it('are told with the mount point and the account', async () => {
    await leave([closed('a'), closed('b')]);
    expect(await waitingElsewhere(state)).toEqual([
      `not uploaded yet: 2 files (2 KiB) written through ${MOUNT_POINT}; ${SAID}`,
    ]);
  });

  it('are those that were closed and are not wholly on the service', async () => {
    const annotations = { metadata: {}, tags: ['x'] };
    const written = [
      closed('open', { phase: 'open' }),
      closed('done', { publishedFileId: 'f' }),
      closed('annotated', { publishedFileId: 'f', annotations, extents: [] }),
      closed('ended'),
    ];
    await leave(written);
    const left = await Journal.open(account.uploads);
    left.record({ type: 'end', id: 'ended' });
    await left.close();
    expect(await waitingElsewhere(state)).toEqual([expect.stringContaining(': 1 file (0 B) ')]);
  });

  it('are told by account, but those of an account that is mounted there are not', async () => {
    await leave([closed('a')]);
    await leave([closed('b'), closed('c')], await accountOf('bob'));
    expect(await waitingElsewhere(state)).toHaveLength(2);
    await live(account.name);
    expect(await waitingElsewhere(state)).toEqual([expect.stringMatching(/: 2 files .*\(user bob\)/)]);
    await live(undefined);
    expect(await waitingElsewhere(state)).toEqual([]);
  });

  it('are told by their directory when nothing says where they were written', async () => {
    const { root, uploads } = accountDirectory(directory(), { endpoint: ENDPOINT, username: 'old' });
    await leave([closed('a')], { ...account, uploads });
    expect(await waitingElsewhere(state)).toEqual([
      `not uploaded yet: 1 file (1 KiB) of ${root}; to upload them mount again where they were written`,
    ]);
  });

  it('are only looked at', async () => {
    await leave([closed('a')]);
    await appendFile(journal(), 'half a li');
    const before = await stat(journal());
    expect(await waitingElsewhere(state)).toHaveLength(1);
    const { size, mtimeMs } = await stat(journal());
    expect({ size, mtimeMs }).toEqual({ size: before.size, mtimeMs: before.mtimeMs });
    expect(await readdir(account.uploads)).toEqual(['journal']);
  });
});

describe('a journal that cannot be read', () => {
  it('is told, and does not hide others', async () => {
    await leave([closed('a')]);
    await appendFile(journal(), 'deadbeef {}\n');
    await leave([closed('b')], await accountOf('bob'));
    expect([...(await waitingElsewhere(state))].sort()).toEqual([
      expect.stringMatching(/^not uploaded yet: 1 file/),
      `perhaps not uploaded yet: files written through ${MOUNT_POINT} (${journal()}: damaged); ${SAID}`,
    ]);
  });

  it('is told when it is no file, and when its record is no record', async () => {
    await mkdir(journal());
    await writeFile(account.record, 'null\n');
    await writeFile(directory().record, '{"daemon":null}\n');
    expect(await waitingElsewhere(state)).toEqual([expect.stringMatching(/^perhaps .*EISDIR.*again/)]);
  });
});

it('tells nothing where there is nothing', async () => {
  await writeFile(join(state, 'no-directory'), '');
  await mkdir(join(state, 'empty'));
  expect(await waitingElsewhere(state)).toEqual([]);
  expect(await waitingElsewhere(join(state, 'absent'))).toEqual([]);
});
