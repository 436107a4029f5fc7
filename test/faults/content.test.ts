import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { FileRecord } from '../../src/api/model.ts';
import type { ContentVersion } from '../../src/content/ports.ts';
import { TestService, type TestUser } from '../service/test-service.ts';
import { TestVolume } from '../service/volume-world.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { FaultProxy, type SeenRequest } from '../support/fault-proxy.ts';
import { sampleBytes } from '../support/sample-bytes.ts';
import { waitUntil } from '../support/wait-until.ts';
import { type ContentClient, contentClient, forever, readAll, writeAll } from './content-client.ts';

const MIB = 1024 * 1024;
const UPLOADER = fileURLToPath(new URL('content-uploader.ts', import.meta.url));
const LOADER = fileURLToPath(new URL('../support/run-typescript.mjs', import.meta.url));

const isPart = ({ method }: SeenRequest): boolean => method === 'PUT';
const isRange = ({ method, headers }: SeenRequest): boolean =>
  method === 'GET' && headers['range'] !== undefined;

let service: TestService;
let proxy: FaultProxy;
let alice: TestUser;
let folder: string;
let directory: { readonly name: string; removeCallback(): void };
let client: ContentClient;

beforeAll(async () => {
  service = await TestService.start();
  proxy = await FaultProxy.start(new URL(service.url).origin);
  alice = await service.user('alice');
  folder = (await alice.project('trial')).root_folder;
});
afterAll(async () => {
  await proxy.close();
  await service.stop();
});
beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  client = contentClient({
    endpoint: endpoint(),
    token: alice.token,
    directory: join(directory.name, 'mount'),
  });
  service.services.stats.reset();
});
afterEach(async () => {
  proxy.heal();
  await client[Symbol.asyncDispose]();
  directory.removeCallback();
});

const endpoint = (): string => `${proxy.origin}/v2`;

async function uploaded(name: string, bytes: Buffer): Promise<FileRecord> {
  const target = { parent: folder, name, overwrite: true };
  const draft = await client.writer.draft({ target, base: undefined, label: name });
  await writeAll(draft, bytes);
  const file = await draft.publish(forever);
  await draft.close();
  return file;
}

const versionOf = (file: FileRecord): ContentVersion => ({
  kind: 'file',
  fileId: file.id,
  sizeBytes: file.sizeBytes,
});

async function stored(fileId: string): Promise<Buffer> {
  return Buffer.from(await (await alice.download(fileId)).arrayBuffer());
}

describe('a file of 100 MiB', () => {
  const bytes = sampleBytes(100 * MIB);

  it('goes up with at least four parts in flight, and comes back the same', async () => {
    // A part takes two seconds, so that what may overlap does, however slow this machine is to send the next one.
    proxy.inject(
      { kind: 'slow-uplink', bytesPerSecond: 8 * MIB },
      { when: ({ method }) => method === 'PUT' },
    );
    const file = await uploaded('large.bam', bytes);
    const { maxPartsInFlight, storagePuts, apiRequests } = service.services.stats;
    expect(maxPartsInFlight).toBeGreaterThanOrEqual(4);
    expect(storagePuts).toBe(7);
    expect(apiRequests).toBe(9);
    const handle = client.reader.open(versionOf(file));
    expect((await readAll(handle)).equals(bytes)).toBe(true);
    handle.close();
    // The service counts when an answer has left, which may be a little after it arrived.
    await waitUntil(() => service.services.stats.storageGetBytes === bytes.length);
  });
});

describe('the store', () => {
  it('may refuse an expired download link: a new one is asked for', async () => {
    const bytes = sampleBytes(3 * MIB);
    const handle = client.reader.open(versionOf(await uploaded('expired', bytes)));
    await handle.read(0, 10, { signal: forever });
    proxy.inject({ kind: 'answer', status: 403 }, { when: isRange, times: 1 });
    expect((await readAll(handle)).equals(bytes)).toBe(true);
  });

  it('may reset a download half-way: it goes on at the byte', async () => {
    const bytes = sampleBytes(8 * MIB);
    const file = await uploaded('reset', bytes);
    proxy.inject({ kind: 'reset', afterBytes: 300_000 }, { when: isRange, times: 3 });
    const handle = client.reader.open(versionOf(file));
    expect((await readAll(handle)).equals(bytes)).toBe(true);
  });

  it('may refuse an expired part link: a new one is asked for', async () => {
    const bytes = sampleBytes(20 * MIB);
    proxy.inject({ kind: 'answer', status: 403 }, { when: isPart, times: 1 });
    expect((await stored((await uploaded('part-403', bytes)).id)).equals(bytes)).toBe(true);
  });

  it('may drop the connection of a part: it is sent again', async () => {
    const bytes = sampleBytes(20 * MIB);
    proxy.inject({ kind: 'drop' }, { when: isPart, times: 2 });
    expect((await stored((await uploaded('part-drop', bytes)).id)).equals(bytes)).toBe(true);
  });

  it('may lose the answer of a completion: the file is there once', async () => {
    const bytes = sampleBytes(MIB);
    proxy.inject({ kind: 'lose-answer' }, { when: ({ path }) => path.endsWith('/complete'), times: 1 });
    expect((await stored((await uploaded('lost', bytes)).id)).equals(bytes)).toBe(true);
  });
});

describe('an object of a volume', () => {
  async function laid(name: string, text: string): Promise<{ volume: TestVolume; version: ContentVersion }> {
    const volume = await TestVolume.make(service, alice, { name });
    await volume.lay('runs/one.txt', text);
    const object = await client.api.volumes.object(volume.id, 'runs/one.txt');
    if (object?.sizeBytes === undefined) throw new Error('the volume does not show it');
    const { location, etag, sizeBytes } = object;
    return { volume, version: { kind: 'object', volume: volume.id, location, etag, sizeBytes } };
  }

  it('is read by the version that the listing shows', async () => {
    const { version } = await laid('reads', 'bytes of the bucket');
    expect((await readAll(client.reader.open(version))).toString()).toBe('bytes of the bucket');
  });

  it('that was replaced since it was listed is `changed`, not mixed', async () => {
    const { volume, version } = await laid('replaced', 'first bytes');
    await volume.lay('runs/one.txt', 'other bytes');
    await expect(readAll(client.reader.open(version))).rejects.toMatchObject({ kind: 'changed' });
  });
});

describe('a mount that is killed', () => {
  const bytes = sampleBytes(96 * MIB);

  async function killed(until: 'publish' | 'write', partsSent: number): Promise<string> {
    const state = join(directory.name, 'killed');
    const args = [endpoint(), alice.token, state, folder, String(bytes.length), until];
    const child = new BackgroundProcess(process.execPath, ['--import', LOADER, UPLOADER, ...args]);
    try {
      await child.says(/durable/);
      await waitUntil(async () => (await journaledParts(state)) === partsSent);
    } finally {
      child.signal('SIGKILL');
      await child.exited();
    }
    proxy.heal();
    return state;
  }

  it('has its publication finished by the next, from the parts that arrived', async () => {
    const isLatePart = (request: SeenRequest): boolean => isPart(request) && partNumber(request) > 4;
    proxy.inject({ kind: 'latency', ms: 60_000 }, { when: isLatePart });
    const state = await killed('publish', 4);
    service.services.stats.reset();
    const next = contentClient({ endpoint: endpoint(), token: alice.token, directory: state });
    const [recovery] = await next.writer.recover();
    if (recovery?.outcome.kind !== 'owed') throw new Error('the publication did not go on');
    await recovery.outcome.owed.finish();
    const file = await next.api.files.find(recovery.outcome.owed.target);
    if (!file) throw new Error('a file was expected');
    await next[Symbol.asyncDispose]();
    expect((await stored(file.id)).equals(bytes)).toBe(true);
    expect(service.services.stats.storagePuts).toBe(2);
  });

  it('leaves the bytes of a file that was still being written where a person finds them', async () => {
    const state = await killed('write', 5);
    const next = contentClient({ endpoint: endpoint(), token: alice.token, directory: state });
    const [recovery] = await next.writer.recover();
    await next[Symbol.asyncDispose]();
    if (recovery?.outcome.kind !== 'kept') throw new Error('the bytes were not kept');
    expect((await readFile(recovery.outcome.path)).equals(bytes)).toBe(true);
  });
});

/** How many parts the journal of a running mount tells of. */
async function journaledParts(state: string): Promise<number> {
  const journal = await readFile(join(state, 'journal'), 'utf8');
  return journal.split('\n').filter((line) => line.includes('"type":"part"')).length;
}

/** Part links of the service end in the number of the part. */
function partNumber({ path }: SeenRequest): number {
  return Number(new URL(path, 'http://any').pathname.split('/').at(-1));
}
