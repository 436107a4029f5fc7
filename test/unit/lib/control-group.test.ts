import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dirSync } from 'tmp';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ControlGroupPlaces,
  controlGroupAvailable,
  controlGroupLimit,
} from '../../../src/lib/control-group.ts';

const MIB = 1024 * 1024;
/** The value that version 1 shows for a group without a limit. */
const NONE = 9223372036854771712n;

type Files = Readonly<Record<string, string>>;

/** For a process in `groups`, as /proc/self/cgroup shows them: /sys/fs/cgroup holds `files`. */
function placesOf(groups: readonly string[], files: Files): ControlGroupPlaces {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(removeCallback);
  const own = join(name, 'own');
  writeFileSync(own, groups.map((line) => `${line}\n`).join(''));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(name, 'cgroup', dirname(path)), { recursive: true });
    writeFileSync(join(name, 'cgroup', path), `${text}\n`);
  }
  return { root: join(name, 'cgroup'), own };
}

const limitOf = (groups: readonly string[], files: Files): number =>
  controlGroupLimit(placesOf(groups, files));
const availableOf = (groups: readonly string[], files: Files): number =>
  controlGroupAvailable(placesOf(groups, files));

describe('the limit', () => {
  it('of version 1 is that of the group or of any above it', () => {
    const stat = (limit: bigint | number): string => `cache 1\nhierarchical_memory_limit ${limit}\nrss 2`;
    const files = {
      'memory/memory.stat': stat(NONE),
      'memory/a/memory.stat': stat(256 * MIB),
      'memory/a/b/memory.stat': stat(256 * MIB),
      'memory/a/b/memory.limit_in_bytes': `${NONE}`,
    };
    const groups = ['9:name=systemd:/c', '4:cpu,memory:/a/b', '0::/'];
    expect(limitOf(groups, files)).toBe(256 * MIB);
  });

  it('of version 2 is the least of the hard and soft limits up to the top', () => {
    const files = {
      'a/memory.max': `${512 * MIB}`,
      'a/memory.high': `${300 * MIB}`,
      'a/b/memory.max': 'max',
      'a/b/memory.high': 'max',
    };
    expect(limitOf(['0::/a/b'], files)).toBe(300 * MIB);
    expect(limitOf(['0::/a/b'], { ...files, 'a/b/memory.max': `${100 * MIB}` })).toBe(100 * MIB);
  });

  it('is that of the top where a container sees its group there only', () => {
    expect(limitOf(['0::/docker/123'], { 'memory.max': `${64 * MIB}` })).toBe(64 * MIB);
  });

  it('is none without control groups', () => {
    expect(limitOf([], {})).toBe(Number.POSITIVE_INFINITY);
    expect(limitOf(['0::/a'], { 'a/memory.max': 'max' })).toBe(Number.POSITIVE_INFINITY);
    expect(controlGroupLimit({ root: '/absent', own: '/absent' })).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('what is available', () => {
  it('is the limit less what is in use and cannot be reclaimed, in version 1', () => {
    const files = {
      'memory/a/memory.usage_in_bytes': `${200 * MIB}`,
      'memory/a/memory.stat': [
        'inactive_file 7',
        'active_file 7',
        `hierarchical_memory_limit ${256 * MIB}`,
        `total_inactive_file ${30 * MIB}`,
        `total_active_file ${70 * MIB}`,
      ].join('\n'),
    };
    expect(availableOf(['4:memory:/a'], files)).toBe(156 * MIB);
  });

  const stat = (inactiveMib: number, activeMib: number): string =>
    `anon 1\ninactive_file ${inactiveMib * MIB}\nactive_file ${activeMib * MIB}\nslab_reclaimable ${MIB}`;

  it('is the limit less what is in use and cannot be reclaimed, in version 2', () => {
    const files = {
      'a/memory.max': `${512 * MIB}`,
      'a/memory.high': `${400 * MIB}`,
      'a/memory.current': `${300 * MIB}`,
      'a/memory.stat': stat(50, 149),
    };
    expect(availableOf(['0::/a'], files)).toBe(300 * MIB);
  });

  it('is the least of the group and of those above it, where others use some too', () => {
    const files = {
      'a/memory.max': `${512 * MIB}`,
      'a/memory.current': `${501 * MIB}`,
      'a/memory.stat': stat(50, 50),
      'a/b/memory.max': `${200 * MIB}`,
      'a/b/memory.current': `${61 * MIB}`,
      'a/b/memory.stat': stat(5, 5),
    };
    expect(availableOf(['0::/a/b'], files)).toBe(112 * MIB);
    expect(availableOf(['0::/a/b'], { ...files, 'a/memory.max': 'max' })).toBe(150 * MIB);
  });

  it('is none, and no less, where more is in use than the limit', () => {
    const files = {
      'a/memory.high': `${100 * MIB}`,
      'a/memory.current': `${300 * MIB}`,
      'a/memory.stat': stat(0, 0),
    };
    expect(availableOf(['0::/a'], files)).toBe(0);
  });

  it('is no more than the limit where the counts are of different moments', () => {
    const files = {
      'a/memory.max': `${100 * MIB}`,
      'a/memory.current': `${10 * MIB}`,
      'a/memory.stat': stat(20, 0),
    };
    expect(availableOf(['0::/a'], files)).toBe(100 * MIB);
  });

  it('is the limit where the kernel does not tell what is in use', () => {
    const limit = { 'a/memory.max': `${100 * MIB}` };
    expect(availableOf(['0::/a'], limit)).toBe(100 * MIB);
    expect(availableOf(['0::/a'], { ...limit, 'a/memory.current': `${60 * MIB}` })).toBe(100 * MIB);
    expect(availableOf(['0::/a'], { ...limit, 'a/memory.stat': stat(1, 1) })).toBe(100 * MIB);
    const statOfV1 = `hierarchical_memory_limit ${64 * MIB}`;
    expect(availableOf(['4:memory:/'], { 'memory/memory.stat': statOfV1 })).toBe(64 * MIB);
  });

  it('is without bounds where there is no limit', () => {
    expect(controlGroupAvailable({ root: '/absent', own: '/absent' })).toBe(Number.POSITIVE_INFINITY);
    const files = { 'a/memory.max': 'max', 'a/memory.current': `${MIB}`, 'a/memory.stat': stat(0, 0) };
    expect(availableOf(['0::/a'], files)).toBe(Number.POSITIVE_INFINITY);
  });
});
