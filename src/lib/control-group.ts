import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Where Linux tells of control groups. */
export interface ControlGroupPlaces {
  readonly root: string;
  /** The groups of this process. */
  readonly own: string;
}

const LINUX: ControlGroupPlaces = { root: '/sys/fs/cgroup', own: '/proc/self/cgroup' };

/** One control group, in bytes of memory; NaN: the kernel does not tell. */
interface Group {
  readonly limit: number;
  /** By it and the groups below it, without what can be reclaimed. */
  readonly used: number;
}

/**
 * Bytes of memory that the control groups of this process let it use, and the groups above them (cgroups(7)); Infinity
 * without a limit, and where there are none. Reads files of the kernel only.
 */
export function controlGroupLimit(places: ControlGroupPlaces = LINUX): number {
  return least(groupsOf(places).map(({ limit }) => limit));
}

/** Of that, the bytes that are not in use, or can be reclaimed: for groups what MemAvailable is for the machine. */
export function controlGroupAvailable(places: ControlGroupPlaces = LINUX): number {
  return least(groupsOf(places).map(availableIn));
}

function availableIn({ limit, used }: Group): number {
  return Number.isNaN(used) ? limit : Math.max(0, limit - Math.max(0, used));
}

function groupsOf({ root, own }: ControlGroupPlaces): readonly Group[] {
  return textOf(own)
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
      if (controllers === undefined || path === undefined) return [];
      if (controllers === '') return upwards(path).map((at) => groupOfV2(join(root, at)));
      if (!controllers.split(',').includes('memory')) return [];
      return upwards(path).map((at) => groupOfV1(join(root, 'memory', at)));
    });
}

/** A path and all above it: a container may see its own group at the top, by another path than is told. */
function upwards(path: string): readonly string[] {
  return path === '/' ? [path] : [path, ...upwards(dirname(path))];
}

/** The Linux kernel's admin-guide/cgroup-v1/memory.rst; usage and totals are with the groups below. */
function groupOfV1(directory: string): Group {
  const stat = textOf(join(directory, 'memory.stat'));
  const usage = numberIn(join(directory, 'memory.usage_in_bytes'));
  return {
    limit: sumOf(stat, /^hierarchical_memory_limit (\d+)$/gm),
    used: usage - sumOf(stat, /^total_(?:in)?active_file (\d+)$/gm),
  };
}

/**
 * The Linux kernel's admin-guide/cgroup-v2.rst. Above `memory.high` the kernel holds a process up, above `memory.max`
 * it ends it. Either may be `max`: none.
 */
function groupOfV2(directory: string): Group {
  const stat = textOf(join(directory, 'memory.stat'));
  const current = numberIn(join(directory, 'memory.current'));
  return {
    limit: least(['memory.max', 'memory.high'].map((file) => numberIn(join(directory, file)))),
    used: current - sumOf(stat, /^(?:inactive_file|active_file|slab_reclaimable) (\d+)$/gm),
  };
}

/** Infinity when there is no finite one. */
function least(numbers: readonly number[]): number {
  return Math.min(...numbers.filter(Number.isFinite));
}

/** Of the counts in some lines; NaN without any. */
function sumOf(stat: string, lines: RegExp): number {
  const counts = [...stat.matchAll(lines)].map(([, count]) => Number(count));
  return counts.length === 0 ? Number.NaN : counts.reduce((sum, count) => sum + count);
}

function numberIn(path: string): number {
  return Number.parseInt(textOf(path), 10);
}

/** Nothing of a file that is not there. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
