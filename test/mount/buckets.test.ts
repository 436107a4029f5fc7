/** Volumes whose bucket the user has keys for, on a real S3 server: the mount reads and writes them there. */
import { randomBytes } from 'node:crypto';
import {
  appendFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openBuckets } from '../../src/api/buckets/open-buckets.ts';
import { withBuckets } from '../../src/api/buckets/with-buckets.ts';
import { createApi } from '../../src/api/create-api.ts';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { TestUser } from '../service/test-service.ts';
import { BackgroundProcess } from '../support/background-process.ts';
import { RadosGateway, type StoreUser } from '../support/rados-gateway.ts';
import { RecordingProxy } from '../support/recording-proxy.ts';
import { mustRun } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import type { ServiceCounters } from '../support/served-mount.ts';
import { volumeTools } from '../support/volume-tools.ts';
import { waitUntil } from '../support/wait-until.ts';

const MIB = 1024 * 1024;
const WRONG_SECRET = 'not-the-secret/of+lab=';

let gateway: RadosGateway;
/** Before the gateway, for what the mount asks of volume `direct`. */
let proxy: RecordingProxy;
let lab: StoreUser;
let sandbox: Sandbox;
let user: TestUser;

beforeAll(async () => {
  [gateway, sandbox] = await Promise.all([RadosGateway.start(), Sandbox.create()]);
  lab = await gateway.createUser('lab');
  await gateway.createBucket(lab, 'lab-data');
  proxy = await RecordingProxy.start(gateway.endpoint);
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
endpoint = ${proxy.url}

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
  expect(await mount()).toContain('no volume demo/nowhere');
});
afterAll(async () => {
  await sandbox?.clean();
  await proxy?.stop();
  await gateway?.stop();
});

async function mount(): Promise<string> {
  const { code, stderr } = await sandbox.svcfs(['mount', sandbox.mountPoint]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stderr;
}

async function killMount(): Promise<void> {
  const daemon = (await sandbox.processes()).find(({ command }) => / \S*daemon\.js/.test(command));
  process.kill(daemon?.pid ?? Number.NaN, 'SIGKILL');
  await waitUntil(async () => (await mountedOn(sandbox.mountPoint)) === undefined);
}

async function keysBelow(Prefix: string): Promise<readonly string[]> {
  const listed = await gateway.client(lab).send(new ListObjectsV2Command({ Bucket: 'lab-data', Prefix }));
  return (listed.Contents ?? []).map(({ Key = '' }) => Key);
}

async function namesBelow(prefix: string): Promise<readonly string[]> {
  const names = (await keysBelow(prefix)).map((key) => key.slice(prefix.length).split('/')[0] ?? '');
  return [...new Set(names)].sort();
}

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
const got = async (Key: string): Promise<Buffer> => {
  const { Body } = await gateway.client(lab).send(new GetObjectCommand({ Bucket: 'lab-data', Key }));
  return Buffer.from((await Body?.transformToByteArray()) ?? []);
};
const apiCalls = async (): Promise<Readonly<Record<string, number>>> => {
  const answer = await fetch(new URL('/internal/stats', user.url));
  return ((await answer.json()) as ServiceCounters).apiCalls;
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

describe('writing', () => {
  const local = (): string => join(sandbox.root, 'local');

  it.each([
    ['nothing', 0],
    ['one put', 4 * MIB],
    ['several parts', 40 * MIB + 1],
  ])(
    'a file of %s arrives as it was written, and asks the platform for nothing but to look at it',
    async (name, length) => {
      await writeFile(local(), randomBytes(length));
      const path = volume('direct', `${name}.bin`);
      const before = await apiCalls();
      await mustRun('cp', [local(), path]);
      const calls = Object.entries(await apiCalls()).filter(([call, count]) => count > (before[call] ?? 0));
      expect(calls.map(([call]) => call).filter((call) => !call.startsWith('GET '))).toEqual([]);
      // An empty file has a moment in which it may be removed again.
      await waitUntil(async () => (await keysBelow('direct/')).includes(`direct/${name}.bin`));
      expect((await got(`direct/${name}.bin`)).equals(await readFile(local()))).toBe(true);
      await mustRun('cmp', [local(), path]);
    },
  );

  it('replaces an object, and appends to it', async () => {
    const path = volume('direct', 'notes');
    await writeFile(path, 'one\n');
    await writeFile(path, 'two\n');
    await appendFile(path, 'three\n');
    expect(String(await got('direct/notes'))).toBe('two\nthree\n');
    expect(await readFile(path, 'utf8')).toBe('two\nthree\n');
  });

  it('is refused on a volume that is read-only, whatever the keys allow', async () => {
    await expect(writeFile(volume('fixed', 'new'), 'x')).rejects.toMatchObject({ code: 'EROFS' });
  });

  it('names bucket, key and fault where the keys are wrong', async () => {
    const path = volume('wrong', 'new');
    await expect(writeFile(path, 'x')).rejects.toMatchObject({ code: 'EACCES' });
    expect(await why(path)).toMatch(/bucket lab-data, key wrong\/new.*the secret key is not the one/s);
  });

  it('makes no object of a name that another client takes meanwhile, if that must be new', async () => {
    const file = await open(volume('direct', 'taken'), 'wx');
    await file.writeFile('mine\n');
    await put('direct/taken', 'theirs\n');
    await expect(file.close()).rejects.toMatchObject({ code: 'EEXIST' });
    expect(String(await got('direct/taken'))).toBe('theirs\n');
  });

  it('goes on after a kill from the parts that the store has', async () => {
    await writeFile(local(), randomBytes(40 * MIB));
    const asked = (what: RegExp): number =>
      proxy.requests.filter(({ method, path }) => what.test(`${method} ${path}`)).length;
    const isEnd = /^POST .*killed.*uploadId=/;
    proxy.hold = ({ method, path }) =>
      isEnd.test(`${method} ${path}`) ? new Promise(() => {}) : Promise.resolve();
    const copy = new BackgroundProcess('cp', [local(), volume('direct', 'killed')]);
    onTestFinished(() => copy.end());
    await waitUntil(() => asked(isEnd) > 0, { timeoutMs: 30_000 });
    await killMount();
    await copy.exited();
    const parts = asked(/^PUT .*killed.*partNumber=/);
    expect(parts).toBe(3);
    proxy.hold = async () => undefined;
    await mount();
    await waitUntil(async () => (await keysBelow('direct/')).includes('direct/killed'), {
      timeoutMs: 30_000,
    });
    expect(asked(/^PUT .*killed.*partNumber=/)).toBe(parts);
    await mustRun('cmp', [local(), volume('direct', 'killed')]);
  });
});

describe('removing and renaming', () => {
  it('rm removes an object, and rm -r a directory', async () => {
    for (const name of ['a', 'b/c', 'b/d/e']) await put(`direct/gone/${name}`, name);
    await mustRunSvcfs(['refresh', volume('direct')]);
    const gone = volume('direct', 'gone');
    await mustRun('rm', [join(gone, 'a')]);
    expect(await keysBelow('direct/gone/')).toEqual(['direct/gone/b/c', 'direct/gone/b/d/e']);
    await expect(rmdir(join(gone, 'b'))).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    await mustRun('rm', ['-r', gone]);
    expect(await keysBelow('direct/gone/')).toEqual([]);
    await expect(stat(gone)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('a directory stays when its last object goes', async () => {
    await mkdir(volume('direct', 'kept'));
    await writeFile(volume('direct', 'kept', 'file'), 'x');
    await rm(volume('direct', 'kept', 'file'));
    expect(await readdir(volume('direct', 'kept'))).toEqual([]);
    expect(await readdir(volume('direct'))).toContain('kept');
    await writeFile(volume('direct', 'kept', 'file'), 'y');
    expect(String(await got('direct/kept/file'))).toBe('y');
  });

  it('mv renames an object by a copy of the store, over another one too', async () => {
    const content = randomBytes(MIB);
    await put('direct/old name+', content);
    await put('direct/other', 'other');
    await put('direct/present', 'present');
    await mustRunSvcfs(['refresh', volume('direct')]);
    const sent = proxy.requests.length;
    const reader = await open(volume('direct', 'old name+'), 'r');
    onTestFinished(() => reader.close());
    await mustRun('mv', [volume('direct', 'old name+'), volume('direct', 'other')]);
    expect((await got('direct/other')).equals(content)).toBe(true);
    expect(await keysBelow('direct/old')).toEqual([]);
    expect((await readFile(volume('direct', 'other'))).equals(content)).toBe(true);
    expect((await reader.read(Buffer.alloc(10), 0, 10, 0)).buffer).toEqual(content.subarray(0, 10));
    const bytes = proxy.requests.slice(sent).map(({ sentBytes }) => sentBytes);
    expect(Math.max(...bytes)).toBeLessThan(1000);
    await mustRun('mv', ['-n', volume('direct', 'other'), volume('direct', 'present')]).catch(
      () => undefined,
    );
    expect(await keysBelow('direct/other')).toEqual(['direct/other']);
  });

  it('mv of a directory copies and removes what is below, by the store', async () => {
    const content = randomBytes(MIB);
    await put('direct/from/deep/one', content);
    await mustRunSvcfs(['refresh', volume('direct')]);
    const sent = proxy.requests.length;
    await mustRun('mv', [volume('direct', 'from'), volume('direct', 'to')]);
    expect(await keysBelow('direct/from/')).toEqual([]);
    expect((await got('direct/to/deep/one')).equals(content)).toBe(true);
    expect(Math.max(...proxy.requests.slice(sent).map(({ sentBytes }) => sentBytes))).toBeLessThan(1000);
  });

  it('is refused on a volume that is read-only, and one without keys', async () => {
    await expect(rm(volume('fixed', 'one.txt'))).rejects.toMatchObject({ code: 'EROFS' });
    const [name = ''] = await readdir(volume('results'));
    await expect(rename(volume('results', name), volume('results', 'x'))).rejects.toMatchObject({
      code: 'EPERM',
    });
  });
});

describe('a bucket', () => {
  const opened = async () => {
    const keys = { ...lab, sessionToken: undefined };
    const access = { volume: 'demo/direct', keys, endpoint: gateway.endpoint, place: 'here' };
    const api = createApi({ endpoint: user.url, token: user.token, clock: systemClock });
    const buckets = await openBuckets({
      api,
      accesses: [{ ...access, region: undefined, pathStyle: undefined }],
      clock: systemClock,
      timeoutMs: 5000,
      copyWholeBytes: MIB,
    });
    onTestFinished(async () => {
      await buckets.close();
      await api.close();
    });
    return withBuckets(api, buckets);
  };

  it('copies in parts what is too large for one request', async () => {
    const content = randomBytes(3 * MIB);
    await put('direct/large', content);
    const { buckets } = await opened();
    const from = { volume: 'demo/direct', location: 'large', etag: undefined };
    const to = { volume: 'demo/direct', location: 'large copy', overwrite: true };
    expect(await buckets.copy(from, to)).toMatchObject({ sizeBytes: content.length });
    expect((await got('direct/large copy')).equals(content)).toBe(true);
    const other = { ...from, etag: 'another' };
    await expect(buckets.copy(other, to)).rejects.toMatchObject({ status: 412 });
  });

  it('replaces no other object than it is told to', async () => {
    const { buckets, uploads } = await opened();
    await put('direct/fought', 'first');
    const target = { parent: buckets.folderOf('demo/direct'), name: 'fought', overwrite: true };
    const there = await buckets.find(target);
    await put('direct/fought', 'second');
    const mine = { ...target, replaces: there?.id, onlyIfSame: true };
    await expect(uploads.inline(mine, Buffer.from('mine'))).rejects.toMatchObject({ status: 412 });
    const upload = await uploads.initialise(mine);
    await expect(uploads.complete(upload.uploadId, [])).rejects.toMatchObject({ status: 412 });
    await uploads.abort(upload.uploadId);
    await expect(uploads.reportedParts(upload.uploadId)).rejects.toMatchObject({ code: 8003 });
    const now = { ...mine, replaces: (await buckets.find(target))?.id };
    await uploads.inline(now, Buffer.from('mine'));
    expect(String(await got('direct/fought'))).toBe('mine');
  });
});

describe('programs', () => {
  const {
    object,
    local: outside,
    onVolume,
  } = volumeTools(() => ({
    sandbox,
    volume: 'demo/direct',
    namesIn: async (directory) => namesBelow(`direct/${directory}/`),
  }));

  it('cp --backup renames what it replaces', async () => {
    await writeFile(outside('mid'), 'one\n');
    const copy = ['--backup', outside('mid'), object('mid')];
    await mustRun('cp', copy);
    await writeFile(outside('mid'), 'two\n');
    await mustRun('cp', copy);
    expect(await readFile(object('mid~'), 'utf8')).toBe('one\n');
    expect(await onVolume()).toEqual(['mid', 'mid~']);
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
