/** The service on SQLite and directories, on a machine whose power fails: what was answered is there afterwards. */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import { TestUser } from '../service/test-service.ts';
import type { BackgroundProcess } from '../support/background-process.ts';
import { PowerCut } from '../support/power-cut.ts';
import { Sandbox } from '../support/sandbox.ts';
import { waitUntil } from '../support/wait-until.ts';

let sandbox: Sandbox;
let data: string;
let power: PowerCut;
let service: BackgroundProcess;
let alice: TestUser;

beforeEach(async () => {
  sandbox = await Sandbox.create();
  data = join(sandbox.root, 'disk');
  await mkdir(data);
  power = await PowerCut.prepare(data, join(sandbox.root, 'kept'));
  const admin = async (...args: string[]) =>
    (await sandbox.svcfs(['admin', ...args, '--data', data], { env: power.env })).stdout.trim();
  service = start(data, power.env);
  const url = await urlOf(service);
  await admin('users', 'add', 'alice');
  alice = new TestUser(url, 'alice', await admin('tokens', 'create', 'alice'));
});
afterEach(() => sandbox.clean());

const start = (dataDir: string, env: Readonly<Record<string, string>> = {}): BackgroundProcess =>
  sandbox.start(['serve', '--data', dataDir, '--listen', '127.0.0.1:0', '--rate-limit', 'off'], env);

async function urlOf(process_: BackgroundProcess): Promise<string> {
  const [, url = ''] = await process_.says(/^listening on (\S+)$/m);
  return url;
}

/** Ends the service at once, and begins one on what the disk is sure to hold. */
async function cutPower(): Promise<TestUser> {
  service.signal('SIGKILL');
  await service.exited();
  const restored = join(sandbox.root, 'restored');
  await power.restore(restored);
  return new TestUser(await urlOf(start(restored)), 'alice', alice.token);
}

/** A check of something that was answered, on the service that came after. */
type Check = (after: TestUser) => Promise<void>;

describe('after a power failure', () => {
  it('everything is there that was answered: by 16 callers at once, in the middle of their work', async () => {
    const { root_folder: root } = await alice.project('Busy');
    const checks: Check[] = [];
    let ended = false;
    const caller = async (number: number): Promise<void> => {
      for (let round = 0; !ended; round += 1) {
        const name = `${number}-${round}`;
        const file = await alice.upload(root, name, `content of ${name}`);
        checks.push(async (after) => {
          expect((await after.get(`/files/${file.id}`)).body).toMatchObject({ id: file.id, name });
          expect(await (await after.download(file.id)).text()).toBe(`content of ${name}`);
        });
        const { status } = await alice.call('PATCH', `/files/${file.id}/metadata`, { body: { name } });
        if (status === 200) {
          checks.push(async (after) => {
            expect((await after.get(`/files/${file.id}`)).body.metadata).toEqual({ name });
          });
        }
        const gone = await alice.folder(root, `gone ${name}`);
        if ((await alice.call('DELETE', `/files/${gone.id}`)).status === 204) {
          checks.push(async (after) => expect((await after.get(`/files/${gone.id}`)).status).toBe(404));
        }
      }
    };
    // Each ends when the service does, in the middle of something.
    const callers = Array.from({ length: 16 }, (_, number) => caller(number).catch(() => undefined));
    await waitUntil(() => checks.length >= 120, { what: 'many answers', timeoutMs: 120_000 });
    const promised = [...checks];
    const after = await cutPower();
    ended = true;
    await Promise.all(callers);
    for (const check of promised) await check(after);
  });

  it('what svcfs cp has given its name on this machine is whole', async () => {
    const { id, root_folder: root } = await alice.project('Home');
    await alice.upload(root, 'small', 'content');
    const target = join(data, 'copied');
    const copied = await sandbox.svcfs(['cp', `project:${id}/small`, target], {
      env: { ...power.env, SVC_API_ENDPOINT: alice.url, SVC_AUTH_TOKEN: alice.token },
    });
    expect(copied).toMatchObject({ code: 0 });
    expect(await readFile(target, 'utf8')).toBe('content');
    expect(await power.syncs()).toContainEqual(expect.stringMatching(/\/\.copied\.[^/]+\.svcfs-part$/));
  });

  it('the service shares syncs between callers who write at the same time', async () => {
    const { root_folder: root } = await alice.project('Shared');
    const files = await Promise.all(Array.from({ length: 16 }, (_, at) => alice.upload(root, `f${at}`)));
    const before = (await logSyncs()).length;
    const rounds = 10;
    const change = (file: FileResource, round: number) =>
      alice.call('PATCH', `/files/${file.id}/metadata`, { body: { round: `${round}` } });
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(files.map((file) => change(file, round)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    }
    const syncs = (await logSyncs()).length - before;
    expect(syncs).toBeGreaterThanOrEqual(rounds);
    expect(syncs).toBeLessThan((rounds * files.length) / 2);
  });

  it('parts, exports and aliases are there', async () => {
    const { id: project, root_folder: root } = await alice.project('Bytes');
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    const volume = await alice.post('/storage/volumes', {
      name: 'lab',
      access_mode: 'RW',
      service: { type: 's3', bucket: 'lab', credentials },
    });
    const exported = await alice.upload(root, 'exported', 'exported content');
    const destination = { volume: volume.body.id, location: 'deep/folder/exported' };
    const job = (await alice.post('/storage/exports', { source: { file: exported.id }, destination })).body;
    expect((await alice.get(`/storage/exports/${job.id}?wait=30`)).body.state).toMatch(/RUNNING|COMPLETED/);
    while ((await alice.get(`/storage/exports/${job.id}?wait=30`)).body.state !== 'COMPLETED');
    const object = `/storage/volumes/${volume.body.id}/object?location=deep/folder/exported`;
    const { metadata } = (await alice.get(object)).body;
    const started = (
      await alice.post('/upload/multipart', { parent: root, name: 'half', part_size: 5 << 20 })
    ).body;
    const part = await alice.putPart(started.upload_id, 1, 'a part that was sent');

    const after = await cutPower();
    expect(await (await after.download(exported.id)).text()).toBe('exported content');
    expect((await after.get(object)).body.metadata).toEqual(metadata);
    const completed = await after.post(`/upload/multipart/${started.upload_id}/complete`, { parts: [part] });
    expect(completed.status).toBe(200);
    expect(await (await after.download(completed.body.id)).text()).toBe('a part that was sent');
    expect((await after.get(`/files?project=${project}`)).body.items).toHaveLength(2);
  });
});

const logSyncs = async () => (await power.syncs()).filter((path) => path.endsWith('.sqlite-wal'));
