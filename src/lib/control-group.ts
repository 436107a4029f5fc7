import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where Linux tells of control groups. */
export interface ControlGroupPlaces {
  readonly root: string;
  /** The groups of this process. */
  readonly own: string;
}

const LINUX: ControlGroupPlaces = { root: '/sys/fs/cgroup', own: '/proc/self/cgroup' };

/**
 * Bytes of memory that the control groups of this process let it use, and the groups above them (cgroups(7)); Infinity
 * without a limit, and where there are none. Reads files of the kernel only.
 */
export function controlGroupLimit({ root, own }: ControlGroupPlaces = LINUX): number {
  const limits = textOf(own)
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
      if (controllers === undefined || path === undefined) return [];
      if (controllers === '') return upwards(path).flatMap((at) => limitsOfV2(join(root, at)));
      if (!controllers.split(',').includes('memory')) return [];
      return upwards(path).flatMap((at) => limitsOfV1(join(root, 'memory', at)));
    });
  return Math.min(...limits.filter((limit) => Number.isFinite(limit)));
}

/** A path and all above it: a container may see its own group at the top, by another path than is told. */
function upwards(path: string): readonly string[] {
  return path === '/' ? [path] : [path, ...upwards(dirname(path))];
}

function limitsOfV1(group: string): readonly number[] {
  const [, limit] = /^hierarchical_memory_limit (\d+)$/m.exec(textOf(join(group, 'memory.stat'))) ?? [];
  return limit === undefined ? [] : [Number(limit)];
}

/** Above `memory.high` the kernel holds a process up, above `memory.max` it ends it. Either may be `max`: none. */
function limitsOfV2(group: string): readonly number[] {
  return ['memory.max', 'memory.high'].map((file) => Number.parseInt(textOf(join(group, file)), 10));
}

/** Nothing of a file that is not there. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
