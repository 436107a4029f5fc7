import { describe, expect, it, onTestFinished } from 'vitest';
import { commandOf } from '../../../../src/cli/boot/helper-command.ts';

const wordsOf = (...words: readonly string[]) => commandOf(words).words;

describe('mount -t svcfs', () => {
  it('mounts the profile that stands as the source, without a word', () => {
    expect(wordsOf('mount-helper', 'lab', '/mnt/svc', '-o', 'rw,metadata-ttl=3')).toEqual([
      'mount',
      '-o',
      'profile=lab,rw,metadata-ttl=3',
      '--quiet',
      '--',
      '/mnt/svc',
    ]);
  });

  it('drops what is for mount, systemd and fstab', () => {
    const text =
      'ro,nofail,_netdev,user,users,noauto,nosuid,nodev,defaults,x-systemd.automount,comment=a,owner,relatime';
    expect(wordsOf('mount-helper', 'none', '/m', '-o', text)).toEqual([
      'mount',
      '-o',
      'ro',
      '--quiet',
      '--',
      '/m',
    ]);
    expect(wordsOf('mount-helper', 'none', '/m', '-o', 'owner=kept')).toContain('owner=kept');
  });

  it('takes an endpoint as the source, and lets an option go before it', () => {
    expect(wordsOf('mount-helper', 'https://a/v2', '/m')).toContain('endpoint=https://a/v2');
    expect(wordsOf('mount-helper', 'lab', '/m', '-o', 'profile=other')).toContain('profile=other');
  });

  it('hands a comma in a value on', () => {
    expect(wordsOf('mount-helper', 'none', '/m', '-o', 'temporary-names=a\\,b')).toContain(
      'temporary-names=a\\,b',
    );
  });

  it('knows -f, -v, -s, -n, -t and -N', () => {
    expect(wordsOf('mount-helper', 'none', '/m', '-fv', '-s', '-n', '-N', '1', '-t', 'svcfs')).toEqual([
      'mount',
      '--verbose',
      '--dry-run',
      '--',
      '/m',
    ]);
  });

  it('sets variables', () => {
    onTestFinished(() => void delete process.env['SVCFS_TEST_OF_HELPER']);
    wordsOf('mount-helper', 'none', '/m', '-o', 'env.SVCFS_TEST_OF_HELPER=x');
    expect(process.env['SVCFS_TEST_OF_HELPER']).toBe('x');
  });

  it('refuses to change a mount, unknown flags, and other numbers of words', () => {
    expect(() => wordsOf('mount-helper', 'none', '/m', '-o', 'remount,ro')).toThrow(
      'svcfs cannot change a mount',
    );
    expect(() => wordsOf('mount-helper', 'none', '/m', '-z')).toThrow('unknown option -z');
    expect(() => wordsOf('mount-helper', '/m')).toThrow('expected SOURCE DIRECTORY');
  });

  it('ends as mount(8) expects', () => {
    const { codeOf } = commandOf(['mount-helper', 'none', '/m']);
    expect([codeOf('done'), codeOf('usage'), codeOf('unreachable')]).toEqual([0, 1, 32]);
  });
});

describe('umount', () => {
  it('waits, and with -l or -f does not', () => {
    expect(wordsOf('unmount-helper', '/m', '-t', 'fuse.svcfs')).toEqual(['unmount', '--', '/m']);
    expect(wordsOf('unmount-helper', '/m', '-l')).toEqual(['unmount', '--force', '--', '/m']);
    expect(wordsOf('unmount-helper', '/m', '-f')).toEqual(['unmount', '--force', '--', '/m']);
  });
  it('wants a directory', () => {
    expect(() => wordsOf('unmount-helper', '-l')).toThrow('expected a DIRECTORY');
  });
});

it('any other command stays as it is', () => {
  expect(wordsOf('status', '/m')).toEqual(['status', '/m']);
  expect(wordsOf()).toEqual([]);
});
