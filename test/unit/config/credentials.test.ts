import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CredentialSources, resolveCredentials } from '../../../src/config/credentials.ts';
import { CredentialsError } from '../../../src/config/credentials-error.ts';
import { mustRun } from '../../support/run.ts';

async function home(credentials?: string, mode = 0o600): Promise<string> {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  if (credentials !== undefined) {
    await mkdir(join(directory.name, '.svcfs'));
    const file = join(directory.name, '.svcfs', 'credentials');
    await writeFile(file, credentials);
    await chmod(file, mode);
  }
  return directory.name;
}

const all = (sources: Partial<CredentialSources> & { readonly home: string }) =>
  resolveCredentials({
    endpoint: undefined,
    tokenFile: undefined,
    profile: undefined,
    dialect: undefined,
    environment: {},
    ...sources,
  });

const resolve = async (sources: Parameters<typeof all>[0]) => {
  const { endpoint, token } = await all(sources);
  return { endpoint, token };
};

/** As the platform's public client keeps them: it does not mind who may read. */
async function withTheirs(home: string, text: string, mode = 0o600): Promise<string> {
  await mkdir(join(home, '.sevenbridges'));
  await writeFile(join(home, '.sevenbridges', 'credentials'), text, { mode });
  return home;
}

const PROFILES = `
[default]
api_endpoint = https://default.example/v2
auth_token = default-token

[lab.west]
api_endpoint = https://lab.example/v2/
auth_token = lab-token
`;

describe('credentials', () => {
  it('come from the default profile when nothing else is said', async () => {
    expect(await resolve({ home: await home(PROFILES) })).toEqual({
      endpoint: 'https://default.example/v2',
      token: 'default-token',
    });
  });

  it('come from a file as editors of other systems write it: a mark of its byte order, and CRLF', async () => {
    const text = `\uFEFF${PROFILES.trimStart().replaceAll('\n', '\r\n')}`;
    expect(await resolve({ home: await home(text) })).toEqual({
      endpoint: 'https://default.example/v2',
      token: 'default-token',
    });
  });

  it('come from the environment before the default profile', async () => {
    const environment = { SVC_API_ENDPOINT: 'http://env/v2', SVC_AUTH_TOKEN: 'env-token' };
    expect(await resolve({ home: await home(PROFILES), environment })).toEqual({
      endpoint: 'http://env/v2',
      token: 'env-token',
    });
  });

  it('come from a profile that was asked for before the environment', async () => {
    const environment = { SVC_API_ENDPOINT: 'http://env/v2', SVC_AUTH_TOKEN: 'env-token' };
    expect(await resolve({ home: await home(PROFILES), profile: 'lab.west', environment })).toEqual({
      endpoint: 'https://lab.example/v2',
      token: 'lab-token',
    });
  });

  it('come from flags before everything else', async () => {
    const directory = await home(PROFILES);
    const tokenFile = join(directory, 'token');
    await writeFile(tokenFile, 'file-token\n', { mode: 0o600 });
    const environment = { SVC_API_ENDPOINT: 'http://env/v2', SVC_AUTH_TOKEN: 'env-token' };
    expect(
      await resolve({
        home: directory,
        endpoint: 'http://flag/v2',
        tokenFile,
        profile: 'lab.west',
        environment,
      }),
    ).toEqual({ endpoint: 'http://flag/v2', token: 'file-token' });
  });

  it.each([
    ['auth_token = 4f#a;b', '4f#a;b'],
    ['auth_token=#4f', '#4f'],
    ['auth_token: 4f:a=b', '4f:a=b'],
    ['auth_token = "4f#a;b"', '"4f#a;b"'],
    ['auth_token = 4f\\;a', '4f\\;a'],
    ['AUTH_Token=4fa', '4fa'],
    ['; auth_token = 4f#a\n  # auth_token: x\nauth_token = 4fa', '4fa'],
    ['auth_token = 50%', '50%'],
  ])('are read as the public client reads them, to the last mark: %j', async (line, token) => {
    const text = `[default]\napi_endpoint: https://default.example/v2\n${line}\n`;
    expect(await resolve({ home: await home(text) })).toEqual({
      endpoint: 'https://default.example/v2',
      token,
    });
  });

  it('are inherited from [DEFAULT], which is no profile', async () => {
    const text = '[DEFAULT]\napi_endpoint = https://all.example/v2\nauth_token = a\n[lab]\nauth_token = b\n';
    const directory = await home(text);
    expect(await resolve({ home: directory, profile: 'lab' })).toEqual({
      endpoint: 'https://all.example/v2',
      token: 'b',
    });
    await expect(resolve({ home: directory, profile: 'DEFAULT' })).rejects.toThrow('profiles there: lab)');
  });

  it('come from a profile with such a mark in its name', async () => {
    const text = '[lab#2]\napi_endpoint = https://lab.example/v2\nauth_token = lab-token\n';
    expect((await resolve({ home: await home(text), profile: 'lab#2' })).token).toBe('lab-token');
  });

  it('may come in halves', async () => {
    const environment = { SVC_API_ENDPOINT: 'http://env/v2' };
    expect(await resolve({ home: await home(PROFILES), environment })).toEqual({
      endpoint: 'http://env/v2',
      token: 'default-token',
    });
  });
});

describe('the places of the platform’s public client', () => {
  const THEIRS = '[default]\napi_endpoint = https://t.example/v2\nauth_token = theirs\nadvance_access = 1\n';

  it('come after ours: the environment, then the default profile', async () => {
    const directory = await withTheirs(await home(), THEIRS);
    const environment = { SB_API_ENDPOINT: 'https://sb.example/v2', SB_AUTH_TOKEN: 'sb' };
    expect(await resolve({ home: directory, environment })).toEqual({
      endpoint: 'https://sb.example/v2',
      token: 'sb',
    });
    expect(await resolve({ home: directory })).toEqual({ endpoint: 'https://t.example/v2', token: 'theirs' });
    const ours = await withTheirs(await home(PROFILES), THEIRS);
    expect((await resolve({ home: ours, environment })).token).toBe('default-token');
  });

  it('have profiles by name, after ours', async () => {
    const text =
      '[cgc]\napi_endpoint = https://cgc.example/v2\nauth_token = t\n[lab.west]\nauth_token = other\n';
    const directory = await withTheirs(await home(PROFILES), text);
    expect((await resolve({ home: directory, profile: 'cgc' })).token).toBe('t');
    expect((await resolve({ home: directory, profile: 'lab.west' })).token).toBe('lab-token');
    await expect(resolve({ home: directory, profile: 'east' })).rejects.toThrow(
      /no profile east in \S+svcfs\S+ \(profiles there: default, lab.west\) or \S+ \(profiles there: cgc, lab.west\)/,
    );
  });

  it('never give a token to an endpoint from elsewhere', async () => {
    const directory = await withTheirs(await home(), THEIRS);
    const elsewhere = { SVC_API_ENDPOINT: 'https://other.example/v2' };
    await expect(resolve({ home: directory, environment: elsewhere })).rejects.toThrow('no token');
    const same = { SVC_API_ENDPOINT: 'https://t.example/v2/' };
    expect((await resolve({ home: directory, environment: same })).token).toBe('theirs');
    const half = { SB_AUTH_TOKEN: 'sb' };
    expect((await resolve({ home: directory, environment: half })).token).toBe('theirs');
  });

  it('are refused when others may read them', async () => {
    await expect(resolve({ home: await withTheirs(await home(), THEIRS, 0o644) })).rejects.toThrow(
      /chmod 600 \S+sevenbridges/,
    );
  });
});

describe('the dialect', () => {
  const inHome = async (text: string, sources: Partial<CredentialSources> = {}) =>
    (await all({ home: await home(text), ...sources })).dialect;

  it('is that of the option, else of the profile that gives the endpoint', async () => {
    const text = `${PROFILES}dialect = sbg\n`;
    expect(await inHome(text, { profile: 'lab.west' })).toEqual({ dialect: 'sbg', settled: true });
    expect(await inHome(text, { profile: 'lab.west', dialect: 'svc' })).toEqual({
      dialect: 'svc',
      settled: true,
    });
    expect(await inHome(text)).toEqual({ dialect: 'svc', settled: false });
  });

  it('is guessed for platforms that are known, and for what the public client knows', async () => {
    const text = '[default]\napi_endpoint = https://cgc-api.sbgenomics.com/v2\nauth_token = t\n';
    expect(await inHome(text)).toEqual({ dialect: 'sbg', settled: false });
    const environment = { SB_API_ENDPOINT: 'http://127.0.0.1:1/v2', SB_AUTH_TOKEN: 't' };
    expect(await inHome('', { environment })).toEqual({ dialect: 'sbg', settled: false });
  });

  it('is refused when there is none of that name', async () => {
    await expect(inHome(PROFILES.replace('auth_token', 'dialect = SBG\nauth_token'))).rejects.toThrow(
      /unknown dialect SBG of profile default in .*: it is one of svc, sbg/,
    );
  });
});

describe('a failure to find credentials', () => {
  it.each([
    [
      'names what to give when there is nothing',
      {},
      undefined,
      0o600,
      /no API endpoint: give --endpoint.*\[default\]/,
    ],
    [
      'names the profiles there are',
      { profile: 'lab' },
      PROFILES,
      0o600,
      /no profile lab in .*default, lab\.west/,
    ],
    [
      'names the missing file',
      { profile: 'lab' },
      undefined,
      0o600,
      /no profile lab, for there is no \S+credentials/,
    ],
    ['says how to close a file that others may read', {}, PROFILES, 0o644, /chmod 600 .*credentials/],
    [
      'names a missing token file',
      { tokenFile: '/nowhere/t' },
      PROFILES,
      0o600,
      /token file \/nowhere\/t: no such file/,
    ],
    [
      'tells of a bad endpoint',
      { environment: { SVC_API_ENDPOINT: 'ftp://x' } },
      PROFILES,
      0o600,
      /'ftp:\/\/x' is no API/,
    ],
    [
      'tells of a token that is none',
      { environment: { SVC_AUTH_TOKEN: 'two words' } },
      PROFILES,
      0o600,
      /right file/,
    ],
    [
      'needs a token',
      { environment: { SVC_API_ENDPOINT: 'http://x/v2' } },
      '[default]\n',
      0o600,
      /no token: give --token/,
    ],
    [
      'names a mistyped key, whose value would be taken from elsewhere',
      { profile: 'lab', environment: { SVC_AUTH_TOKEN: 'of-another' } },
      '[lab]\napi_endpoint = https://lab.example/v2\nauth_tokn = lab-token\n',
      0o600,
      /unknown key auth_tokn of profile lab in .*credentials: did you mean auth_token\?/,
    ],
    [
      'names it in the profile that nobody asked for',
      {},
      '[default]\nendpoint = https://default.example/v2\n',
      0o600,
      /unknown key endpoint of profile default in .*: did you mean api_endpoint\?/,
    ],
    [
      'names a line before any section',
      { profile: 'top' },
      'top = 1\n',
      0o600,
      /line 1 stands before any \[profile\]/,
    ],
    [
      'names a line that is none, but not what it says',
      {},
      '[default]\nsecret\n',
      0o600,
      /line 2 is no "key = value"/,
    ],
  ])('%s', async (_, sources, credentials, mode, message) => {
    const error: unknown = await resolve({ home: await home(credentials, mode), ...sources }).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(CredentialsError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('\n');
  });

  it('says how to close a token file that others may read, and takes a pipe as it is', async () => {
    const directory = await home();
    const tokenFile = join(directory, 'token');
    const sources = { home: directory, endpoint: 'http://flag/v2', tokenFile };
    await writeFile(tokenFile, 'file-token\n');
    for (const mode of [0o604, 0o640, 0o620, 0o602]) {
      await chmod(tokenFile, mode);
      const refused = resolve(sources);
      await expect(refused).rejects.toThrow(CredentialsError);
      await expect(refused).rejects.toThrow(`others may read it: run chmod 600 ${tokenFile}`);
    }
    await chmod(tokenFile, 0o400);
    expect((await resolve(sources)).token).toBe('file-token');
    const pipe = join(directory, 'pipe');
    await mustRun('mkfifo', ['-m', '644', pipe]);
    const [{ token }] = await Promise.all([
      resolve({ ...sources, tokenFile: pipe }),
      writeFile(pipe, 'piped-token\n'),
    ]);
    expect(token).toBe('piped-token');
  });
});
