/** On SQLite: no answer leaves the service before what it tells is on the disk. PostgreSQL sees to that itself. */
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { Gate } from '../support/gate.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, type TestUser } from './test-service.ts';

let service: TestService;
let alice: TestUser;
let root: string;
let file: string;

beforeEach(async () => {
  service = await TestService.start();
  alice = await service.user('alice');
  root = (await alice.project('P')).root_folder;
  file = (await alice.upload(root, 'f')).id;
  await service.services.auditTrail.written();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await service.stop();
});

/** Has the next syncs of a database's log, and of the parts of files, do something else. */
async function onSync(act: () => Promise<void>): Promise<{ readonly syncs: () => number }> {
  const handle = await open('/dev/null');
  const handles = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const spy = vi.spyOn(handles, 'datasync').mockImplementation(act);
  return { syncs: () => spy.mock.calls.length };
}

const brokenDisk = (): Error => Object.assign(new Error('the disk'), { code: 'EIO' });
const namesIn = (kind: 'blobs' | 'uploads') =>
  readdir(join(service.dataDir, 'storage', kind), { recursive: true });
const blobs = async () => (await namesIn('blobs')).filter((name) => name.includes('/'));
const change = (name: string) => alice.call('PATCH', `/files/${file}`, { body: { name } });

describe.skipIf(inject('postgres') !== undefined)('an answer', () => {
  it('waits for the sync of its change, and so does that of a caller who saw it', async () => {
    const gate = new Gate();
    const { syncs } = await onSync(() => gate.opened);
    const answers: string[] = [];
    const changed = change('changed').then(() => answers.push('change'));
    await waitUntil(() => syncs() === 1);
    const { store } = service.services;
    await waitUntil(async () => (await filesIn(store).find(file))?.name === 'changed');
    const seen = alice.get(`/files/${file}`).then(({ body }) => answers.push(body.name));
    expect(answers).toEqual([]);
    gate.open();
    await Promise.all([changed, seen]);
    expect(answers.sort()).toEqual(['change', 'changed']);
  });

  it('is 503 when the sync fails, and so is every one after it', async () => {
    await onSync(() => Promise.reject(brokenDisk()));
    expect((await change('lost')).status).toBe(503);
    vi.restoreAllMocks();
    const { status, body } = await alice.get(`/files/${file}`);
    expect([status, body.code]).toEqual([503, 90005]);
    expect((await fetch(`${new URL(service.url).origin}/readyz`)).status).toBe(503);
  });

  it('is 503 when the sync fails, and the bytes stay that the database may refer to', async () => {
    const { store } = service.services;
    // That of the bytes themselves comes before the file is in the database.
    await onSync(async () => {
      if (await filesIn(store).findChild(root, 'inline')) throw brokenDisk();
    });
    const before = await blobs();
    const { status } = await fetch(`${service.url}/upload/inline?parent=${root}&name=inline`, {
      method: 'POST',
      headers: {
        'X-SVC-Auth-Token': alice.token,
        'X-SVC-Advance-Access': 'advance',
        'Content-Type': 'application/octet-stream',
      },
      body: 'precious',
    });
    expect(status).toBe(503);
    expect((await blobs()).length).toBe(before.length + 1);
  });

  it('is 503 when the sync fails, and the upload stays that the database may tell of', async () => {
    await onSync(() => Promise.reject(brokenDisk()));
    const before = await namesIn('uploads');
    const { status } = await alice.post('/upload/multipart', { parent: root, name: 'begun' });
    expect(status).toBe(503);
    expect((await namesIn('uploads')).length).toBe(before.length + 1);
  });
});
