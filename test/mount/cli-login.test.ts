/** `svcfs login`, `logout`, `profiles` and `whoami`, against a service. */
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { mustRun, run } from '../support/run.ts';
import type { Sandbox } from '../support/sandbox.ts';
import { test } from '../support/sandbox-test.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let service: DemoServiceProcess;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service?.end());

const pathOf = ({ home }: Sandbox): string => join(home, '.svcfs', 'credentials');

const login = (sandbox: Sandbox, args: readonly string[] = [], input = `${service.token}\n`) =>
  sandbox.svcfs(['login', '--endpoint', service.endpoint, '--token-file', '-', ...args], { input });

describe('svcfs login', () => {
  test('tries the token, says whose it is, and keeps it for its owner alone', async ({ sandbox }) => {
    expect(await login(sandbox)).toMatchObject({
      code: 0,
      stdout: `${service.endpoint}: you are demo (dialect svc)\nprofile default in ${pathOf(sandbox)}\n`,
      stderr: '',
    });
    expect(await readFile(pathOf(sandbox), 'utf8')).toBe(
      `[default]\napi_endpoint = ${service.endpoint}\nauth_token = ${service.token}\ndialect = svc\n`,
    );
    expect((await stat(pathOf(sandbox))).mode & 0o777).toBe(0o600);
    expect((await stat(join(sandbox.home, '.svcfs'))).mode & 0o777).toBe(0o700);
    const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint]);
    expect(mounted).toMatchObject({ code: 0, stdout: expect.stringContaining('(user demo)') });
    const { stdout } = await sandbox.svcfs(['status', sandbox.mountPoint]);
    expect(stdout).toMatch(/service: answers; dialect svc;/);
  });

  test('keeps other profiles and comments, and the endpoint of its own', async ({ sandbox }) => {
    await mkdir(join(sandbox.home, '.svcfs'));
    const text = `# mine\n[lab]\nAPI_Endpoint: ${service.endpoint}\n\n[other]\nauth_token = a;b # c\n`;
    await writeFile(pathOf(sandbox), text, { mode: 0o600 });
    const args = ['login', '--profile', 'lab', '--token-file', '-', '--dialect', 'sbg'];
    expect((await sandbox.svcfs(args, { input: service.token })).code).toBe(0);
    expect(await readFile(pathOf(sandbox), 'utf8')).toBe(
      `# mine\n[lab]\napi_endpoint = ${service.endpoint}\nauth_token = ${service.token}\ndialect = sbg\n\n[other]\nauth_token = a;b # c\n`,
    );
    const whoami = await sandbox.svcfs(['whoami', '--profile', 'lab']);
    expect(whoami.stdout).toBe(`${service.endpoint}: you are demo (dialect sbg)\n`);
  });

  test('asks for the token at the terminal, which shows nothing of it', async ({ sandbox }) => {
    const command = `${process.execPath} ${MAIN} login --endpoint ${service.endpoint}`;
    const { code, stdout } = await run('script', ['-qec', command, '/dev/null'], {
      env: sandbox.env,
      input: `${service.token}\n`,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('you are demo') });
    expect(stdout).toContain(`Token for ${service.endpoint}: `);
    expect(stdout.slice(stdout.indexOf('Token for'))).not.toContain(service.token);
    expect(await readFile(pathOf(sandbox), 'utf8')).toContain(service.token);
  });

  test('tells when the token ends, if it does', async ({ sandbox }) => {
    const data = join(sandbox.root, 'data', 'svcfs', 'service');
    const other = sandbox.start(['serve', '--listen', '127.0.0.1:0', '--data', data]);
    const [, endpoint = ''] = await other.says(/^listening on (\S+)$/m);
    const admin = (args: readonly string[]) => sandbox.svcfs(['admin', ...args, '--data', data]);
    expect((await admin(['users', 'add', 'ann'])).code).toBe(0);
    const until = '2099-01-02T03:04:05Z';
    const { stdout: token } = await admin(['tokens', 'create', 'ann', '--expires', until]);
    const args = ['login', '--endpoint', endpoint, '--token-file', '-'];
    const { stdout } = await sandbox.svcfs(args, { input: token });
    expect(stdout).toContain(`you are ann (dialect svc)\nthe token is good until ${until}\n`);
  });
});

describe('svcfs login keeps nothing when', () => {
  test.for([
    ['the token is refused', [], 'nonsense', 4, 'refused the token'],
    ['the token is no word', [], 'two words', 3, 'not one word of printable characters'],
    ['there is no service', ['--endpoint', 'http://127.0.0.1:1/v2'], 'token', 5, 'no service at http://127'],
    ['two places are named', ['--platform', 'cgc'], 'token', 2, 'exclude each other'],
    ['there is no such platform', ['--platform', 'cg'], 'token', 2, "'cg' is invalid"],
    ['there is no such dialect', ['--dialect', 'vendor'], 'token', 2, 'Allowed choices are svc, sbg'],
    ['the profile has no name', ['--profile', 'a]'], 'token', 2, 'is no name for a profile'],
  ] as const)('%s', async ([, args, input, code, says], { sandbox }) => {
    const failed = await login(sandbox, args, input);
    expect([failed.code, failed.stdout]).toEqual([code, '']);
    expect(failed.stderr).toContain(says);
    await expect(stat(pathOf(sandbox))).rejects.toThrow('ENOENT');
  });

  test('nobody can be asked, or no endpoint is known', async ({ sandbox }) => {
    const args = ['login', '--endpoint', service.endpoint];
    const noTerminal = await run('setsid', ['-w', process.execPath, MAIN, ...args], { env: sandbox.env });
    expect(noTerminal).toMatchObject({ code: 2, stderr: expect.stringContaining('give --token-file') });
    const nowhere = await sandbox.svcfs(['login', '--token-file', '-'], { input: 'token' });
    expect(nowhere).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--platform with one of sbg.*cgc/),
    });
  });

  test('others may read the file', async ({ sandbox }) => {
    await mkdir(join(sandbox.home, '.svcfs'));
    await writeFile(pathOf(sandbox), '[lab]\n', { mode: 0o644 });
    await chmod(pathOf(sandbox), 0o644);
    expect(await login(sandbox)).toMatchObject({ code: 3, stderr: expect.stringContaining('chmod 600') });
    expect(await readFile(pathOf(sandbox), 'utf8')).toBe('[lab]\n');
  });
});

test('svcfs profiles lists those of both files, and svcfs logout forgets a token', async ({ sandbox }) => {
  expect(await sandbox.svcfs(['profiles'])).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('svcfs login'),
  });
  await login(sandbox, ['--profile', 'lab']);
  const theirs = join(sandbox.home, '.sevenbridges');
  await mkdir(theirs);
  const text = `[cgc]\napi_endpoint = ${service.endpoint}\nauth_token = ${service.token}\n`;
  await writeFile(join(theirs, 'credentials'), text, { mode: 0o600 });
  const listed = async (): Promise<readonly string[]> =>
    (await mustRun(process.execPath, [MAIN, 'profiles'], { env: sandbox.env })).trim().split('\n');
  const rows = (await listed()).map((line) => line.split(/ +/).slice(0, 4));
  expect(rows).toEqual([
    ['PROFILE', 'ENDPOINT', 'DIALECT', 'TOKEN'],
    ['lab', service.endpoint, 'svc', 'yes'],
    ['cgc', service.endpoint, '-', 'yes'],
  ]);
  expect((await listed()).join()).not.toContain(service.token);
  const asJson = await sandbox.svcfs(['profiles', '--json']);
  expect(JSON.parse(asJson.stdout)).toEqual([
    { name: 'lab', endpoint: service.endpoint, dialect: 'svc', hasToken: true, file: pathOf(sandbox) },
    {
      name: 'cgc',
      endpoint: service.endpoint,
      dialect: null,
      hasToken: true,
      file: join(theirs, 'credentials'),
    },
  ]);
  const toldAsJson = await sandbox.svcfs(['whoami', '--profile', 'lab', '--json']);
  expect(JSON.parse(toldAsJson.stdout)).toEqual({
    endpoint: service.endpoint,
    username: 'demo',
    dialect: 'svc',
    tokenEnds: null,
  });
  // The dialect that was found out for an endpoint goes before a guess by the file.
  const whoami = await sandbox.svcfs(['whoami', '--profile', 'cgc']);
  expect(whoami.stdout).toBe(`${service.endpoint}: you are demo (dialect svc)\n`);
  expect((await sandbox.svcfs(['logout', '--profile', 'lab'])).code).toBe(0);
  expect(await readFile(pathOf(sandbox), 'utf8')).not.toContain(service.token);
  expect(await sandbox.svcfs(['whoami', '--profile', 'lab'])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('run svcfs login --profile lab'),
  });
  expect(await sandbox.svcfs(['logout', '--profile', 'cgc'])).toMatchObject({
    code: 3,
    stderr: expect.stringMatching(/profiles there: lab\); that of \S+ is for other programs too/),
  });
});
