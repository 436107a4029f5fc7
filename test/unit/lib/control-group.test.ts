import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { dirSync } from 'tmp';
import { expect, it, onTestFinished } from 'vitest';
import { controlGroupLimit } from '../../../src/lib/control-group.ts';

const MIB = 1024 * 1024;
/** What version 1 shows of a group without a limit. */
const NONE = 9223372036854771712n;

/** The limit of a process in `groups`, as /proc/self/cgroup shows them, where /sys/fs/cgroup holds `files`. */
function limitOf(groups: readonly string[], files: Readonly<Record<string, string>>): number {
  const { name, removeCallback } = dirSync({ unsafeCleanup: true });
  onTestFinished(removeCallback);
  const own = join(name, 'own');
  writeFileSync(own, groups.map((line) => `${line}\n`).join(''));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(name, 'cgroup', dirname(path)), { recursive: true });
    writeFileSync(join(name, 'cgroup', path), `${text}\n`);
  }
  return controlGroupLimit({ root: join(name, 'cgroup'), own });
}

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
