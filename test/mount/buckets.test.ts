/** Volumes whose bucket the user has keys for, on a real S3 server: the mount reads and writes them there. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestUser } from '../service/test-service.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { mustRun } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';

const MIB = 1024 * 1024;
const WRONG_SECRET = 'not-the-secret/of+lab=';

let gateway: RadosGateway;
let lab: StoreUser;
let sandbox: Sandbox;
let user: TestUser;

beforeAll(async () => {
  [gateway, sandbox] = await Promise.all([RadosGateway.start(), Sandbox.create()]);
  lab = await gateway.createUser('lab');
  await gateway.createBucket(lab, 'lab-data');
  const data = join(sandbox.root, 'service');
  const args = ['--demo', '--data', data, '--listen', '127.0.0.1:0', '--rate-limit', 'off'];
  const service = sandbox.start(['serve', ...args, '--internal-stats', '--allow-endpoint', '127.0.0.1']);
  const [, url = ''] = await service.says(/^listening on (\S+)$/m);
  const token = (await readFile(join(data, 'demo-token'), 'utf8')).trim();
  user = new TestUser(url, 'demo', token);
  await makeVolume('direct', 'RW');
  await makeVolume('fixed', 'RO');
  await makeVolume('wrong', 'RW');
  await mkdir(join(sandbox.home, '.svcfs'), { recursive: true });
  const keys = keysOf(lab);
  const credentials = `[default]
api_endpoint = ${url}
auth_token = ${token}

[volume:demo/direct]
${keys}

[volume:demo/fixed]
profile = lab

[volume:demo/wrong]
${keysOf({ ...lab, secretAccessKey: WRONG_SECRET })}

[volume:demo/nowhere]
${keys}
`;
  await writeFile(join(sandbox.home, '.svcfs/credentials'), credentials, { mode: 0o600 });
  await mkdir(join(sandbox.home, '.aws'));
  await writeFile(
    join(sandbox.home, '.aws/credentials'),
    `[lab]\naws_access_key_id = ${lab.accessKeyId}\naws_secret_access_key = ${lab.secretAccessKey}\n`,
  );
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint]);
  expect(mounted).toMatchObject({ code: 0, stderr: expect.stringContaining('no volume demo/nowhere') });
});
afterAll(async () => {
  await sandbox?.clean();
  await gateway?.stop();
});

const keysOf = ({ accessKeyId, secretAccessKey }: StoreUser): string =>
  `access_key_id = ${accessKeyId}\nsecret_access_key = ${secretAccessKey}`;

async function makeVolume(name: string, access_mode: 'RW' | 'RO'): Promise<void> {
  const credentials = { access_key_id: lab.accessKeyId, secret_access_key: lab.secretAccessKey };
  const service = { type: 's3', bucket: 'lab-data', prefix: name, endpoint: gateway.endpoint, credentials };
  const made = await user.post('/storage/volumes', { name, access_mode, service });
  expect(made.status).toBe(200);
}

const volume = (...names: string[]): string => sandbox.path('volumes', 'demo', ...names);
const attribute = async (path: string, name: string): Promise<string> =>
  (await mustRun('getfattr', ['--only-values', '-n', `user.svc.${name}`, path])).trim();
const put = (Key: string, Body: Buffer | string): Promise<unknown> =>
  gateway.client(lab).send(new PutObjectCommand({ Bucket: 'lab-data', Key, Body }));
const mustRunSvcfs = async (args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await sandbox.svcfs(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
};
const why = async (path: string): Promise<string> => (await sandbox.svcfs(['why', path])).stdout;

describe('reading', () => {
  it('goes to the bucket', async () => {
    const content = randomBytes(9 * MIB);
    await put('direct/runs/a b+c%.bin', content);
    const path = volume('direct', 'runs', 'a b+c%.bin');
    expect((await readFile(path)).equals(content)).toBe(true);
    expect(await attribute(path, 'via')).toBe('bucket');
    expect(await attribute(volume('results'), 'via')).toBe('link');
  });

  it('takes the keys of a profile of the AWS files', async () => {
    await put('fixed/one.txt', 'one\n');
    expect(await readFile(volume('fixed', 'one.txt'), 'utf8')).toBe('one\n');
    expect(await attribute(volume('fixed', 'one.txt'), 'via')).toBe('bucket');
  });

  it('says which keys are wrong, and where they are', async () => {
    await put('wrong/one.txt', 'one\n');
    const path = volume('wrong', 'one.txt');
    await expect(readFile(path)).rejects.toMatchObject({ code: 'EACCES' });
    const told = await why(path);
    expect(told).toContain('bucket lab-data, key wrong/one.txt');
    expect(told).toContain('the secret key is not the one of the access key');
    expect(told).toContain('[volume:demo/wrong] of ');
  });
});

it('tells no secret: not in logs, not in what the mount tells of itself, not in a bundle', async () => {
  const bundle = join(sandbox.root, 'bundle.tar.gz');
  await mustRunSvcfs(['debug', sandbox.mountPoint, '--output', bundle]);
  const told = [
    await sandbox.logs(),
    await readFile(sandbox.path('.svcfs/config'), 'utf8'),
    await mustRunSvcfs(['config', 'show', 'mount', sandbox.mountPoint]),
    await mustRunSvcfs(['profiles', '--json']),
    await mustRun('tar', ['-xzOf', bundle]),
  ].join('');
  for (const secret of [lab.secretAccessKey, WRONG_SECRET]) expect(told).not.toContain(secret);
});
