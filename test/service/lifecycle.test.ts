import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dirSync } from 'tmp';
import { afterEach, expect, test } from 'vitest';
import { Sweeper } from '../../src/service/operations/sweeping/sweeper.ts';
import { sweepsOf } from '../../src/service/sweeps.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { TestService } from './test-service.ts';

const run = promisify(execFile);
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(...options: Parameters<typeof TestService.start>): Promise<TestService> {
  const service = await TestService.start(...options);
  cleanups.push(() => service.stop());
  return service;
}

async function blobFiles(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, 'storage'), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('what was stored is there after a restart, and signed addresses still hold', async () => {
  const directory = dirSync({ unsafeCleanup: true });
  cleanups.push(async () => directory.removeCallback());
  const first = await TestService.start({ dataDir: directory.name });
  const alice = await first.user('alice');
  const { root_folder } = await alice.project('Kept');
  const { id } = await alice.upload(root_folder, 'kept.txt', 'kept');
  const { body: link } = await alice.get(`/files/${id}/download_info`);
  const port = Number(new URL(first.url).port);
  await first.stop();
  await start({ dataDir: directory.name, port });
  expect((await alice.get(`/files/${id}`)).body).toMatchObject({ name: 'kept.txt', size: 4 });
  expect(await (await fetch(link.url)).text()).toBe('kept');
});

test('closing finishes the request being served', async () => {
  const service = await TestService.start();
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Closing');
  const { id } = await alice.upload(root_folder, 'big', new Uint8Array(32 * 1024 * 1024));
  const answer = await alice.download(id);
  const stopped = service.stop();
  expect((await answer.arrayBuffer()).byteLength).toBe(32 * 1024 * 1024);
  await stopped;
  await expect(fetch(service.url)).rejects.toThrow();
});

test('bytes of a deleted file are removed after the grace, those a copy shares are not', async () => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const service = await start({ clock });
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Swept');
  const alone = await alice.upload(root_folder, 'alone', 'alone');
  const shared = await alice.upload(root_folder, 'shared', 'shared');
  const copy = await alice.post(`/files/${shared.id}/actions/copy`, { parent: root_folder, name: 'copy' });
  await alice.call('DELETE', `/files/${alone.id}`);
  await alice.call('DELETE', `/files/${shared.id}`);
  const sweeper = new Sweeper(service.services, sweepsOf({ blobGraceSeconds: 600 }));
  await sweeper.sweep();
  expect(await blobFiles(service.dataDir)).toHaveLength(2);
  await clock.advance(600_000);
  await sweeper.sweep();
  expect(await blobFiles(service.dataDir)).toHaveLength(1);
  expect(await (await alice.download(copy.body.id)).text()).toBe('shared');
  await alice.call('DELETE', `/files/${copy.body.id}`);
  await clock.advance(600_000);
  await sweeper.sweep();
  expect(await blobFiles(service.dataDir)).toEqual([]);
});

test('neither an abort, nor a part broken off leaves bytes behind', async () => {
  const service = await start();
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Aborted');
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name: 'x' })).body;
  await alice.putPart(upload_id, 1, 'part');
  const { body: target } = await alice.get(`/upload/multipart/${upload_id}/part/2`);
  const { port, pathname, search } = new URL(target.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n`);
  socket.write(new Uint8Array(100_000));
  await expect.poll(() => blobFiles(service.dataDir)).toHaveLength(2);
  socket.destroy();
  await expect.poll(() => blobFiles(service.dataDir)).toHaveLength(1);
  await alice.call('DELETE', `/upload/multipart/${upload_id}`);
  expect(await blobFiles(service.dataDir)).toEqual([]);
});

test('a part still on its way when its upload is aborted is told that it is gone', async () => {
  const service = await start();
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Aborted at work');
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name: 'x' })).body;
  const { body: target } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
  const halves = new TransformStream<Uint8Array>();
  const writer = halves.writable.getWriter();
  const put = fetch(target.url, { method: 'PUT', body: halves.readable, duplex: 'half' } as RequestInit);
  await writer.write(new Uint8Array(1000));
  await expect.poll(() => blobFiles(service.dataDir)).toHaveLength(1);
  expect((await alice.call('DELETE', `/upload/multipart/${upload_id}`)).status).toBe(204);
  await writer.write(new Uint8Array(1000));
  await writer.close();
  expect(await (await put).json()).toMatchObject({ status: 404, code: 8003 });
  expect(await blobFiles(service.dataDir)).toEqual([]);
});

test('the data directory and the key are for the owner alone', async () => {
  const parent = dirSync({ unsafeCleanup: true });
  cleanups.push(async () => parent.removeCallback());
  const dataDir = join(parent.name, 'data');
  await start({ dataDir });
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(dataDir, 'signing-key'))).mode & 0o777).toBe(0o600);
});

test.runIf(process.getuid?.() === 0)('a full disk is told as such, and nothing half done stays', async () => {
  const directory = dirSync({ unsafeCleanup: true });
  const storage = join(directory.name, 'storage');
  await mkdir(storage);
  await run('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', storage]);
  cleanups.push(() => run('umount', [storage]).then(() => directory.removeCallback()));
  const service = await start({ dataDir: directory.name });
  const alice = await service.user('alice');
  const { root_folder } = await alice.project('Full');
  const { upload_id } = (await alice.post('/upload/multipart', { parent: root_folder, name: 'x' })).body;
  const { body: target } = await alice.get(`/upload/multipart/${upload_id}/part/1`);
  const put = () => fetch(target.url, { method: 'PUT', body: new Uint8Array(2 * 1024 * 1024) });
  const refused = await put();
  expect(refused.status).toBe(507);
  expect(await refused.json()).toMatchObject({ code: 8000, message: expect.stringContaining('no space') });
  expect(await blobFiles(directory.name)).toEqual([]);
  await writeFile(join(storage, 'filler'), new Uint8Array(1000));
  await rm(join(storage, 'filler'));
  const part = await alice.putPart(upload_id, 1, 'small');
  const { body } = await alice.post(`/upload/multipart/${upload_id}/complete`, { parts: [part] });
  expect(body.size).toBe(5);
});
