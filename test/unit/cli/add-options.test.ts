import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addOptions } from '../../../src/cli/add-options.ts';
import { MOUNT_OPTIONS, type MountOptions } from '../../../src/config/mount-options.ts';

/** The options of a mount that an environment gives, without any on the command line. */
function optionsBy(environment: Readonly<Record<string, string>>): MountOptions {
  for (const [name, text] of Object.entries(environment)) vi.stubEnv(name, text);
  return addOptions(new Command(), MOUNT_OPTIONS).parse([], { from: 'user' }).opts();
}

describe('a variable of an option that has no value', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(['1', 'true', 'yes', 'on'])('gives it by %o', (text) => {
    expect(optionsBy({ SVCFS_WRITE_BACK: text })).toMatchObject({ writeBack: true });
  });

  it.each(['0', 'false', 'No', 'OFF', ''])('does not give it by %o', (text) => {
    expect(optionsBy({ SVCFS_WRITE_BACK: text })).toMatchObject({ writeBack: false });
  });

  it('is nothing to an option that has one', () => {
    const { temporaryNames: before } = optionsBy({});
    expect(optionsBy({ SVCFS_TEMPORARY_NAMES: 'no' }).temporaryNames).not.toEqual(before);
  });
});

describe('a variable that is empty', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('counts as not set', () => {
    const unset = optionsBy({});
    const names = Object.values(MOUNT_OPTIONS).flatMap(({ environment }) => environment ?? []);
    const empty = Object.fromEntries(names.map((name) => [name, '']));
    // Of these patterns there may be none.
    expect(optionsBy(empty)).toEqual({ ...unset, temporaryNames: [] });
  });
});
