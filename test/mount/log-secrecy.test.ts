/** At the most verbose level, through successes and failures, no log of service or mount holds a token, secret or signature. */
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { ended } from '../service/volume-world.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';
import { waitUntil } from '../support/wait-until.ts';

const SECRET = 'volume-secret/with+signs=';
const WRONG_SECRET = 'wrong-secret/with+signs=';
const BAD_TOKEN = 'bad-token-0123456789abcdef';

async function startService(sandbox: Sandbox, data: string) {
  const args = ['--data', data, '--listen', '127.0.0.1:0', '--log-level', 'debug'];
  const service = sandbox.start(['serve', ...args]);
  const [, url = ''] = await service.says(/^listening on (\S+)$/m);
  return { service, url };
}

async function makeUser(sandbox: Sandbox, data: string): Promise<string> {
  await sandbox.svcfs(['admin', 'users', 'add', 'alice', '--data', data]);
  const { stdout, code } = await sandbox.svcfs(['admin', 'tokens', 'create', 'alice', '--data', data]);
  expect(code).toBe(0);
  return stdout.trim();
}

const volumeBody = (name: string, bucket: string, secret: string) => ({
  name,
  access_mode: 'RW',
  service: { type: 's3', bucket, credentials: { access_key_id: 'key', secret_access_key: secret } },
});

/** Uses the mount: small and large writes, reads, an export by mv, a read that fails. */
async function useMount(sandbox: Sandbox, project: string): Promise<void> {
  const directory = sandbox.path('projects', project);
  await writeFile(join(directory, 'small.txt'), 'small');
  await writeFile(join(directory, 'large.bin'), Buffer.alloc(40 * 1024 * 1024, 'x'));
  expect((await readFile(join(directory, 'large.bin'))).length).toBe(40 * 1024 * 1024);
  await rename(join(directory, 'small.txt'), sandbox.path('volumes', 'alice', 'good', 'small.txt'));
  await readFile(join(directory, 'nothing')).catch(() => undefined);
}

/** Signed addresses, used well and badly. Answers their signatures. */
async function useAddresses(alice: TestUser, root: string): Promise<string[]> {
  const file = await alice.upload(root, 'signed.txt');
  const { body } = await alice.get(`/files/${file.id}/download_info`);
  const upload = (await alice.post('/upload/multipart', { parent: root, name: 'part' })).body.upload_id;
  const part = (await alice.get(`/upload/multipart/${upload}/part/1`)).body;
  const expired = body.url.replace(/expires=\d+/, 'expires=1');
  expect((await fetch(body.url)).status).toBe(200);
  expect((await fetch(expired)).status).toBe(403);
  expect((await fetch(part.url, { method: 'PUT', body: 'p' })).status).toBe(200);
  expect((await fetch(body.url, { method: 'PUT', body: 'p' })).status).toBeGreaterThanOrEqual(403);
  return [body.url, part.url].map((url: string) => new URL(url).searchParams.get('signature') ?? '');
}

test('no log holds a token, a secret or a signature', async ({ sandbox }) => {
  const data = join(sandbox.root, 'service');
  const { service, url } = await startService(sandbox, data);
  const token = await makeUser(sandbox, data);
  const alice = new TestUser(url, 'alice', token);
  const project = await alice.project('Study');
  expect((await alice.post('/storage/volumes', volumeBody('good', 'bucket', SECRET))).status).toBe(200);
  const wrong = await alice.post('/storage/volumes', volumeBody('wrong', 'bucket', WRONG_SECRET));
  expect(wrong.body.code).toBe(9202);

  const mount = (mountToken: string) =>
    sandbox.svcfs(['mount', sandbox.mountPoint, '--log-level', 'debug'], {
      env: { SVC_API_ENDPOINT: url, SVC_AUTH_TOKEN: mountToken },
    });
  expect((await mount(BAD_TOKEN)).code).toBe(4);
  expect(await mount(token)).toMatchObject({ code: 0 });
  await useMount(sandbox, project.id);
  const signatures = await useAddresses(alice, project.root_folder);
  expect(signatures.every((signature) => signature.length === 64)).toBe(true);

  const failed = {
    source: { volume: 'alice/good', location: 'nothing' },
    destination: { project: project.id },
  };
  await ended(alice, (await alice.post('/storage/imports', failed)).body);
  const shown = await readdir(sandbox.path('.svcfs'));
  const own = await Promise.all(
    shown.map((name) => readFile(sandbox.path('.svcfs', name), 'utf8').catch(() => '')),
  );

  await sandbox.svcfs(['admin', 'tokens', 'revoke', '--user', 'alice', '--data', data]);
  await readdir(sandbox.path('volumes', 'alice', 'good', 'elsewhere')).catch(() => undefined);
  await writeFile(sandbox.path('projects', project.id, 'refused.txt'), 'refused').catch(() => undefined);
  await waitUntil(() => service.stderr.includes('"status":401'), { what: 'a refusal in the log' });

  const keys = await Promise.all(
    ['signing-key', 'secret-key'].map(async (name) => (await readFile(join(data, name), 'utf8')).trim()),
  );
  const logs = [service.stdout, service.stderr, await sandbox.logs(), ...own].join('\n');
  expect(logs).toContain('answered');
  expect(logs.length).toBeGreaterThan(10_000);
  for (const secret of [token, BAD_TOKEN, SECRET, WRONG_SECRET, ...signatures, ...keys]) {
    expect(logs.includes(secret), secret).toBe(false);
    expect(logs.includes(encodeURIComponent(secret)), secret).toBe(false);
  }
  // Every signature that the mount was given has this form.
  expect(logs).not.toMatch(/signature=(?!\[redacted\])/);
  expect(logs).not.toMatch(/\b[0-9a-f]{64}\b/);
});
