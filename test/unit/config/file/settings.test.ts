import { chmod, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  ConfigFileError,
  configFilePaths,
  readConfigFiles,
} from '../../../../src/config/file/config-file.ts';
import { type Place, settingsFor } from '../../../../src/config/file/settings.ts';

async function fileOf(text: string, mode = 0o644): Promise<string> {
  const directory = dirSync({ unsafeCleanup: true });
  onTestFinished(() => directory.removeCallback());
  const path = join(directory.name, 'config.toml');
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

const MOUNT: Place = { command: ['mount'], profile: 'default', mountPoint: undefined };

async function valuesIn(text: string, place: Partial<Place> = {}): Promise<Record<string, unknown>> {
  const files = await readConfigFiles({}, await fileOf(text));
  const settings = settingsFor(files, { ...MOUNT, ...place });
  return Object.fromEntries([...settings].map(([name, { value }]) => [name, value]));
}

const LEVELS = `
[mount]
metadata-ttl = 1
memory = "64M"
uploads = 1
[profile.lab.mount]
memory = "65M"
uploads = 2
[mountpoint."/mnt/svc".mount]
uploads = 3
[mountpoint."~/svc".mount]
uploads = 4
`;

describe('a setting', () => {
  it('of a mount point goes before one of a profile, and that before one of the command', async () => {
    expect(await valuesIn(LEVELS)).toEqual({ 'metadata-ttl': 1, memory: '64M', uploads: 1 });
    expect(await valuesIn(LEVELS, { profile: 'lab' })).toMatchObject({ memory: '65M', uploads: 2 });
    const both = await valuesIn(LEVELS, { profile: 'lab', mountPoint: '/mnt/svc' });
    expect(both).toEqual({ 'metadata-ttl': 1, memory: '65M', uploads: 3 });
  });

  it('of a mount point below ~ is found', async () => {
    const place = { mountPoint: join(homedir(), 'svc') };
    expect(await valuesIn(LEVELS, place)).toMatchObject({ uploads: 4 });
  });

  it('may be written with underscores', async () => {
    expect(await valuesIn('[mount]\nmetadata_ttl = 5')).toEqual({ 'metadata-ttl': 5 });
  });

  it('of a group is for all its commands, and their own goes before it', async () => {
    const text = '[admin]\ndata = "/a"\njson = true\n[admin.tokens.create]\njson = false';
    expect(await valuesIn(text, { command: ['admin', 'tokens', 'create'] })).toEqual({
      data: '/a',
      json: false,
    });
    expect(await valuesIn(text, { command: ['admin', 'users', 'list'] })).toEqual({ data: '/a', json: true });
  });

  it('of the first file goes before one of the second', async () => {
    const first = await readConfigFiles({}, await fileOf('[mount]\nuploads = 1'));
    const second = await readConfigFiles({}, await fileOf('[mount]\nuploads = 2\nmemory = "64M"'));
    const settings = settingsFor([...first, ...second], MOUNT);
    expect(settings.get('uploads')).toMatchObject({ value: 1, table: 'mount', path: first[0]?.path });
    expect(settings.get('memory')).toMatchObject({ value: '64M', path: second[0]?.path });
  });
});

describe('a configuration file', () => {
  it('is looked for in the home directory and in /etc', () => {
    expect(configFilePaths({ HOME: '/home/ada' }, undefined)).toEqual([
      '/home/ada/.config/svcfs/config.toml',
      '/etc/svcfs/config.toml',
    ]);
    expect(configFilePaths({ XDG_CONFIG_HOME: '/c' }, undefined)[0]).toBe('/c/svcfs/config.toml');
    expect(configFilePaths({ SVCFS_CONFIG: '/d.toml' }, undefined)).toEqual(['/d.toml']);
    expect(configFilePaths({ SVCFS_CONFIG: '/d.toml' }, '/e.toml')).toEqual(['/e.toml']);
  });

  it('that is named must exist', async () => {
    await expect(readConfigFiles({}, '/nowhere.toml')).rejects.toThrow(
      /cannot read \/nowhere\.toml: no such file/,
    );
    await expect(readConfigFiles({ SVCFS_CONFIG: '/nowhere.toml' })).rejects.toThrow(ConfigFileError);
  });

  it('that is no TOML is an error with the line', async () => {
    await expect(readConfigFiles({}, await fileOf('[mount]\nuploads = = 3'))).rejects.toThrow(
      /config\.toml, line 2: /,
    );
  });

  it('that other users may change is an error with the remedy', async () => {
    const path = await fileOf('', 0o666);
    await expect(readConfigFiles({}, path)).rejects.toThrow(
      `other users may change ${path}: run chmod go-w ${path}`,
    );
  });
});
