import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialFiles } from '../../../src/config/credentials.ts';
import { CredentialsError } from '../../../src/config/credentials-error.ts';
import { keysForService } from '../../../src/config/keys-for-service.ts';
import { ProfileFile } from '../../../src/config/profile-file.ts';

const SERVICE = 'https://api.example/v2';

async function home(credentials: string, mode = 0o600): Promise<string> {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  await mkdir(join(directory.name, '.svcfs'));
  await writeFile(join(directory.name, '.svcfs/credentials'), credentials, { mode });
  return directory.name;
}

const keysIn = async (credentials: string, mode?: number) =>
  keysForService(SERVICE, await home(credentials, mode));

const PAIR = 'access_key_id = AK\nsecret_access_key = sec#ret;\n';

describe('keys of buckets', () => {
  it('stand in a section for each volume, beside profiles', async () => {
    const all = `[DEFAULT]\ndialect = svc\n[lab]\nauth_token = t\n[volume:lab/data]\n${PAIR}session_token = st\nregion = eu-west-1\n`;
    const keys = { accessKeyId: 'AK', secretAccessKey: 'sec#ret;', sessionToken: 'st' };
    expect(await keysIn(all)).toEqual([
      {
        volume: 'lab/data',
        keys,
        endpoint: undefined,
        region: 'eu-west-1',
        pathStyle: undefined,
        service: undefined,
        place: expect.stringMatching(/^\[volume:lab\/data\] of .*\/\.svcfs\/credentials$/),
      },
    ]);
  });

  it('are those of a profile of the AWS files', async () => {
    const section = '[volume:lab/data]\nprofile = west\nendpoint = https://s3.example/\npath_style = false\n';
    expect(await keysIn(section)).toMatchObject([
      { keys: { profile: 'west' }, endpoint: 'https://s3.example', pathStyle: false },
    ]);
  });

  it('count at the service that they name', async () => {
    const section = (volume: string, service: string): string =>
      `[volume:lab/${volume}]\n${PAIR}api_endpoint = ${service}\n`;
    const found = await keysIn(section('here', `${SERVICE}/`) + section('there', 'https://other.example/v2'));
    expect(found.map(({ volume }) => volume)).toEqual(['lab/here']);
  });

  it('are no profiles', async () => {
    const directory = await home(`[lab]\nauth_token = t\n[volume:lab/data]\n${PAIR}`);
    const file = await ProfileFile.read(credentialFiles(directory).ours, 'ours');
    expect(file?.names).toEqual(['lab']);
  });

  it.each([
    ['a key of nothing', `${PAIR}acess_key = x\n`, 'unknown key acess_key: did you mean access_key_id?'],
    ['half a pair', 'access_key_id = AK\n', 'give access_key_id and secret_access_key, or the profile'],
    ['a pair and a profile', `${PAIR}profile = west\n`, 'exclude each other'],
    ['an endpoint that is none', `${PAIR}endpoint = s3.example\n`, 'endpoint is no URL'],
    ['a flag that is none', `${PAIR}path_style = yes\n`, 'path_style is true or false'],
  ])('are refused with %s: by section and file, and without the secret', async (_, lines, reason) => {
    const refused = keysIn(`[volume:lab/data]\n${lines}`);
    await expect(refused).rejects.toThrow(CredentialsError);
    await expect(refused).rejects.toThrow(/^\[volume:lab\/data\] of .*\/credentials: /);
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.not.toThrow('sec#ret');
  });

  it('are refused for a volume without its owner', async () => {
    await expect(keysIn(`[volume:data]\n${PAIR}`)).rejects.toThrow('[volume:OWNER/NAME]');
  });

  it('must be in a file that only its owner may read; a file without any may be as it is', async () => {
    await expect(keysIn(`[volume:lab/data]\n${PAIR}`, 0o644)).rejects.toThrow('chmod 600');
    expect(await keysIn('[lab]\nauth_token = t\n', 0o644)).toEqual([]);
    expect(await keysForService(SERVICE, '/nowhere')).toEqual([]);
  });
});
