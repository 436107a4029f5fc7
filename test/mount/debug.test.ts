/** The bundle of `svcfs debug`: what is in it, what is not, and that it waits for nothing that hangs. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT_CODES } from '../../src/cli/exit-codes.ts';
import { type MountRecord, readRecord } from '../../src/cli/record.ts';
import { mountDirectory, stateDirectory } from '../../src/config/directories.ts';
import { TestUser } from '../service/test-service.ts';
import { mustRun, type RunResult, run } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Each step of a bundle has seconds, and a process on a busy machine takes some to start. */
const PATIENCE_MS = 40_000;
const PASSWORD = 'proxy-password-canary';
const NAMES = ['Miller', 'Quillfeather', 'canary-study', 'diagnosis'];

let served: ServedMount;
let env: Readonly<Record<string, string>>;
let project: string;

beforeAll(async () => {
  served = await ServedMount.start({ mountArgs: ['--log-level', 'debug'] });
  env = {
    SVC_API_ENDPOINT: served.endpoint,
    SVC_AUTH_TOKEN: served.token,
    HTTPS_PROXY: `http://ada:${PASSWORD}@proxy.invalid:3128`,
  };
  await mkdir(join(served.sandbox.home, '.svcfs'));
  const credentials = '[lab]\napi_endpoint = http://lab.invalid/v2\nauth_token = profile-token-canary\n';
  await writeFile(join(served.sandbox.home, '.svcfs', 'credentials'), credentials, { mode: 0o600 });
  project = served.path(
    'projects',
    (await new TestUser(served.endpoint, 'demo', served.token).project('Canary Study')).id,
  );
  await mkdir(join(project, 'Quillfeather'));
  const file = join(project, 'Quillfeather', 'Miller, Anna.bam');
  await writeFile(file, 'reads');
  expect(await readFile(file, 'utf8')).toBe('reads');
  await mustRun('setfattr', ['-n', 'user.case', '-v', 'diagnosis', file]);
  expect((await run('ln', [file, join(project, 'second.bam')])).code).not.toBe(0);
});
afterAll(() => served?.clean());

let made = 0;

/** Runs the command, and answers what is in its bundle. */
async function bundle(args: readonly string[] = []): Promise<{
  readonly result: RunResult;
  readonly files: Readonly<Record<string, string>>;
  readonly all: string;
}> {
  const { sandbox } = served;
  made += 1;
  const archive = join(sandbox.root, `bundle-${made}.tar.gz`);
  const words = ['debug', sandbox.mountPoint, '--output', archive, ...args];
  const result = await sandbox.svcfs(words, { env, timeoutMs: PATIENCE_MS });
  expect(result).toMatchObject({ code: 0, stderr: '' });
  expect((await stat(archive)).mode & 0o777).toBe(0o600);
  await mustRun('tar', ['-xzf', archive, '-C', sandbox.root]);
  const folder = join(sandbox.root, `bundle-${made}`);
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return {
    result,
    files: Object.fromEntries(names.map((name, n) => [name, texts[n] ?? ''])),
    all: texts.join('\n'),
  };
}

const secrets = (): readonly string[] => [served.token, 'profile-token-canary', PASSWORD];

/** The lines of a bundle in which one of the words stands. */
function linesWith(files: Readonly<Record<string, string>>, words: readonly string[]): readonly string[] {
  return Object.entries(files).flatMap(([name, text]) =>
    text
      .split('\n')
      .flatMap((line) =>
        words.some((word) => line.includes(word)) ? [`${name}: ${line.slice(0, 400)}`] : [],
      ),
  );
}

async function daemon(): Promise<number> {
  const state = stateDirectory({ XDG_STATE_HOME: served.sandbox.env['XDG_STATE_HOME'] }, '');
  return (
    (await readRecord<MountRecord>(mountDirectory(state, served.sandbox.mountPoint).record))?.daemon.pid ?? 0
  );
}

it('has no token, no signature and no name, and lists what it has', async () => {
  const { files, all, result } = await bundle();
  expect(linesWith(files, [...secrets(), ...NAMES])).toEqual([]);
  // Every address of a part and of a download is signed.
  expect(all).not.toMatch(/signature=(?!\[redacted\])|X-Amz-Signature=(?!\[redacted\])/i);
  const names = Object.keys(files).filter((name) => name !== 'MANIFEST.txt');
  for (const name of names) {
    expect(files['MANIFEST.txt']).toContain(name);
    expect(result.stdout).toContain(name);
  }
  expect(names.sort()).toEqual(
    [
      'config.json doctor.json environment.json errors.json mount.log mounts.json options.json record.json',
      'requests.json service.log state.json status.json threads.json versions.json',
    ]
      .flatMap((line) => line.split(' '))
      .sort(),
  );
});

it('has what helps to find a fault', async () => {
  const { files } = await bundle();
  const json = (name: string) => JSON.parse(files[name] ?? '');
  const { exchanges } = json('requests.json');
  const [asked] = exchanges.filter(({ route }: { route: string }) => route === 'GET /user');
  expect(asked).toMatchObject({ status: 200, requestId: expect.stringMatching(/^[0-9a-f]{24}$/) });
  expect(files['mount.log']).toContain(asked.requestId);
  expect(json('errors.json')).toEqual([
    expect.stringMatching(
      /Z link \/projects\/.*: the platform has no hard links: .* has one name \(EPERM\)\.$/,
    ),
  ]);
  expect(json('status.json')).toMatchObject({ answer: 'status', statistics: { api: { away: false } } });
  expect(json('doctor.json')).toContainEqual(expect.objectContaining({ check: 'kernel', state: 'ok' }));
  expect(json('config.json')).toMatchObject({ logLevel: 'debug', endpoint: served.endpoint });
  expect(json('environment.json')).toMatchObject({ SVC_AUTH_TOKEN: '[redacted]', HTTPS_PROXY: '[redacted]' });
  expect(json('threads.json')).toContainEqual(expect.objectContaining({ pid: await daemon() }));
  for (const line of files['mount.log']?.trim().split('\n') ?? [])
    expect(() => JSON.parse(line)).not.toThrow();
});

it('has names where they are wanted, and no secret then either', async () => {
  const { all, files } = await bundle(['--names']);
  expect(all).toContain('Miller, Anna.bam');
  expect(linesWith(files, secrets())).toEqual([]);
});

it('is made of a mount whose process is stopped, with the program that waits for it', async () => {
  const pid = await daemon();
  process.kill(pid, 'SIGSTOP');
  try {
    const waiting = served.sandbox.startProgram('stat', [join(project, 'never-seen')]);
    const isWaiting = async (): Promise<boolean> =>
      /fuse|request_wait/.test(await readFile(`/proc/${waiting.pid}/wchan`, 'utf8'));
    await waitUntil(isWaiting);
    const { files } = await bundle();
    expect(JSON.parse(files['threads.json'] ?? '')).toContainEqual(
      expect.objectContaining({ pid: waiting.pid, program: 'stat' }),
    );
    expect(files['status.json']).toContain('none within the time');
    expect(files['mount.log']).toContain('"msg":"mounted"');
    expect(JSON.parse(files['doctor.json'] ?? '')).toContainEqual(
      expect.objectContaining({ found: 'its process is stopped', remedy: `kill -CONT ${pid}` }),
    );
  } finally {
    process.kill(pid, 'SIGCONT');
  }
});

it('is made while the service is silent', async () => {
  const service = (await served.sandbox.processes()).find(({ command }) => command.includes(' serve '));
  process.kill(service?.pid ?? 0, 'SIGSTOP');
  try {
    const { files } = await bundle();
    expect(JSON.parse(files['status.json'] ?? '')).toMatchObject({ answer: 'status' });
    expect(JSON.parse(files['doctor.json'] ?? '')).toContainEqual(
      expect.objectContaining({ check: 'endpoint', state: 'fault' }),
    );
  } finally {
    process.kill(service?.pid ?? 0, 'SIGCONT');
  }
});

it('is not written into a mount, nor over another file by half', async () => {
  const inside = await served.sandbox.svcfs(['debug', '--output', join(project, 'b.tar.gz')], { env });
  expect(inside).toMatchObject({
    code: EXIT_CODES.usage.code,
    stderr: expect.stringContaining('is in a mount'),
  });
  const nowhere = await served.sandbox.svcfs(['debug', '--output', '/nowhere/b.tar.gz'], { env });
  expect(nowhere.code).toBe(EXIT_CODES.failure.code);
  expect(nowhere.stderr).toMatch(/cannot write \/nowhere\/b\.tar\.gz: .*name another place with --output/);
});
