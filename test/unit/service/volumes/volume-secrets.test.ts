import { chmodSync, chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openSecretKeys } from '../../../../src/service/operations/secrets/open-secret-keys.ts';
import { SecretKeyFile } from '../../../../src/service/operations/secrets/secret-key-file.ts';
import { givenSecretKeys, SecretKeyError } from '../../../../src/service/operations/secrets/secret-keys.ts';
import { isKeptInTheClear, VolumeSecrets } from '../../../../src/service/volumes/volume-secrets.ts';

const OLD = '0f'.repeat(32);
const NEW = 'a1'.repeat(32);
const SECRET = { secret_access_key: 'wJalrXUtnFEMI/K7MDENG' };

const secretsWith = (keys: string): VolumeSecrets => new VolumeSecrets(givenSecretKeys(keys, 'the test'));

function directory(): string {
  const { name, removeCallback } = dirSync({ prefix: 'svcfs-secrets', unsafeCleanup: true });
  onTestFinished(() => removeCallback());
  return name;
}

describe('the secret of a volume', () => {
  test('is opened as it was sealed, and sealed differently each time', async () => {
    const secrets = secretsWith(NEW);
    const [one, two] = [await secrets.seal('a/v', SECRET), await secrets.seal('a/v', SECRET)];
    expect(await secrets.open({ id: 'a/v', secret: one })).toEqual(SECRET);
    expect(one).not.toBe(two);
    expect(one).not.toContain(SECRET.secret_access_key);
    expect(isKeptInTheClear({ id: 'a/v', secret: one })).toBe(false);
  });

  test('cannot be used in the row of another volume', async () => {
    const secret = await secretsWith(NEW).seal('a/v', SECRET);
    await expect(secretsWith(NEW).open({ id: 'b/v', secret })).rejects.toThrow('damaged');
  });

  test('cannot be changed without being noticed', async () => {
    const sealed = await secretsWith(NEW).seal('a/v', SECRET);
    const cut = sealed.lastIndexOf(':') + 1;
    const bytes = Buffer.from(sealed.slice(cut), 'base64');
    for (const position of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed[position] = (changed[position] ?? 0) ^ 1;
      const secret = sealed.slice(0, cut) + changed.toString('base64');
      await expect(secretsWith(NEW).open({ id: 'a/v', secret })).rejects.toThrow('damaged');
    }
  });

  test('is opened with an older key too, and renewed with the newest', async () => {
    const row = { id: 'a/v', secret: await secretsWith(OLD).seal('a/v', SECRET) };
    const both = secretsWith(`${NEW} ${OLD}`);
    expect(await both.open(row)).toEqual(SECRET);
    const secret = (await both.renewed(row)) ?? '';
    expect(await secretsWith(NEW).open({ id: 'a/v', secret })).toEqual(SECRET);
    expect(await both.renewed({ id: 'a/v', secret })).toBeUndefined();
    await expect(secretsWith(NEW).open(row)).rejects.toThrow(
      /encrypted with the key [0-9a-f]{8}, which is not there/,
    );
  });

  test('kept in the clear by an earlier version is sealed', async () => {
    const row = { id: 'a/v', secret: JSON.stringify(SECRET) };
    expect(isKeptInTheClear(row)).toBe(true);
    const secret = (await secretsWith(NEW).renewed(row)) ?? '';
    expect(await secretsWith(NEW).open({ id: 'a/v', secret })).toEqual(SECRET);
  });
});

describe('keys', () => {
  test.each(['', '  \n', 'short', `${NEW} nonsense`, 'g'.repeat(64)])('%j are refused', (text) => {
    expect(() => givenSecretKeys(text, 'SOURCE')).toThrow(/^SOURCE holds (no key|something)/);
  });

  test('of a service by itself are in a file of its own, made once', async () => {
    const dataDir = directory();
    const open = () => openSecretKeys({ dataDir, databaseUrl: undefined, secretKeys: undefined });
    const [one, two] = await Promise.all([open(), open()]);
    expect(await one.read()).toEqual(await two.read());
    const path = join(dataDir, 'secret-key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
  });

  test('must be given when the database is shared', async () => {
    const databaseUrl = 'postgresql:///db';
    const keys = openSecretKeys({ dataDir: directory(), databaseUrl, secretKeys: undefined });
    await expect(keys).rejects.toThrow('--secret-key-file, or SVCFS_SECRET_KEY');
  });

  test('in a file that everybody can read, or that is not there, are refused with the remedy', async () => {
    const file = join(directory(), 'keys');
    const open = () => openSecretKeys({ dataDir: '/nowhere', databaseUrl: undefined, secretKeys: { file } });
    await expect(open()).rejects.toThrow(`the keys in ${file} cannot be read (ENOENT)`);
    writeFileSync(file, NEW, { mode: 0o644 });
    await expect(open()).rejects.toThrow(`chmod 600`);
    chmodSync(file, 0o600);
    expect((await (await open()).read())[0].bytes.toString('hex')).toBe(NEW);
  });

  test('in a file are read anew each time, so that a new one counts at once', async () => {
    const path = join(directory(), 'keys');
    writeFileSync(path, `${OLD}\n`, { mode: 0o600 });
    const file = new SecretKeyFile(path);
    const secrets = new VolumeSecrets(file);
    const row = { id: 'a/v', secret: await secrets.seal('a/v', SECRET) };
    const [{ id: old }] = await file.read();
    const added = await file.addKey(new Set([old]));
    expect((await file.read()).map(({ id }) => id)).toEqual([added.id, old]);
    expect(await secrets.open(row)).toEqual(SECRET);
    await file.addKey(new Set([added.id]));
    await expect(secrets.open(row)).rejects.toThrow('not there');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  const isRoot = process.getuid?.() === 0;
  const NOBODY = 65_534;

  test('in a file stay readable by whom they were, when the operator adds one as root', async () => {
    const path = join(directory(), 'keys');
    writeFileSync(path, `${OLD}\n`);
    chmodSync(path, 0o640);
    if (isRoot) chownSync(path, NOBODY, NOBODY);
    const before = statSync(path);
    await new SecretKeyFile(path).addKey(new Set());
    const { ino, uid, gid, mode } = statSync(path);
    expect({ uid, gid, mode }).toEqual({ uid: before.uid, gid: before.gid, mode: before.mode });
    expect(ino).not.toBe(before.ino);
  });

  test('are not changed where that cannot be written, which is told with the remedy', async () => {
    // Root may write everywhere, but no name that is too long, as that of the file before it is whole.
    const path = join(directory(), 'k'.repeat(250));
    writeFileSync(path, `${OLD}\n`, { mode: 0o600 });
    const adding = new SecretKeyFile(path).addKey(new Set());
    await expect(adding).rejects.toThrow(
      /^the keys in \S+ cannot be written \(ENAMETOOLONG\): its directory/,
    );
    await expect(adding).rejects.toBeInstanceOf(SecretKeyError);
    expect(readFileSync(path, 'utf8')).toBe(`${OLD}\n`);
  });
});
