import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { checkNames } from '../../../../src/cli/config/check-names.ts';
import { createProgram } from '../../../../src/cli/program.ts';
import type { Table } from '../../../../src/config/file/config-file.ts';

const check = (text: string) => () =>
  checkNames({ path: 'c.toml', table: parse(text) as Table }, createProgram());

describe('names in a configuration file', () => {
  it.each([
    '[mount]\nmetadata-ttl = 3',
    '[serve]\nlisten = "127.0.0.1:0"',
    '[admin]\ndata = "/d"\n[admin.tokens.create]\nexpires = "90d"',
    '[profile.lab.mount]\nread_only = true',
    '[mountpoint."/mnt/svc".mount]\nprofile = "lab"',
  ])('may be %s', (text) => {
    expect(check(text)).not.toThrow();
  });

  it.each([
    ['[mount]\nmetadata-tll = 3', 'c.toml: unknown key metadata-tll in [mount]: did you mean metadata-ttl?'],
    ['[mont]\na = 3', 'c.toml: unknown key mont: did you mean mount?'],
    ['metadata-ttl = 3', 'c.toml: unknown key metadata-ttl'],
    ['[profil.lab]', 'c.toml: unknown key profil: did you mean profile?'],
    ['[profile.lab]\nread-only = true', 'c.toml: unknown key read-only in [profile.lab]'],
    ['[mountpoint."/mnt".mount]\nx = 1', 'c.toml: unknown key x in [mountpoint."/mnt".mount]'],
    ['profile = "lab"', 'c.toml: profile is a table: write [profile] on a line of its own'],
    ['mount = 3', 'c.toml: mount is a table'],
    ['[mount.endpoint]\nx = 1', 'c.toml: mount.endpoint is an option, and no table'],
    ['[mount]\nconfig = "x"', 'c.toml: unknown key config in [mount]'],
  ])('may not be %s', (text, message) => {
    expect(check(text)).toThrow(message);
  });
});
