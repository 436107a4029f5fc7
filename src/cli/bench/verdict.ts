import { describeSize } from '../../lib/describe-size.ts';
import type { Measured } from './measured.ts';

/** Within so much of each other, two speeds on one line are the same. */
const AS_FAST = 0.8;
const FASTER = 1.25;
/** Of a core: a process that uses so much has no time left. */
const BUSY_CORES = 0.8;
/** Others take the time of a machine that has so much to do. */
const BUSY_LOAD = 1.5;
/** Of the bytes read: from less it cannot be told what a store gives. */
const MOSTLY = 0.5;

/** One sentence on what limits reading here. */
export function verdictOf({ read, curl }: Measured): string {
  if (read === undefined) return 'Nothing large enough was read to tell what limits it.';
  if (read.fromStoreBytes < read.bytes * MOSTLY)
    return 'Most of what was read was in a cache of this machine, which is all that limits it.';
  if (curl === undefined) return 'What limits reading cannot be told without curl beside it.';
  const share = read.bytesPerSecond / curl.bytesPerSecond;
  if (share >= FASTER) {
    return `The line or the store limits reading: over several connections svcfs gets ${share.toFixed(1)} times what curl gets over one.`;
  }
  if (share >= AS_FAST)
    return `The line or the store limits reading: curl gets ${speed(curl.bytesPerSecond)}, and svcfs as much.`;
  const percent = `${Math.round(share * 100)} %`;
  if (read.cores >= BUSY_CORES) {
    return `This machine limits reading: the process of the mount is busy, at ${percent} of the ${speed(curl.bytesPerSecond)} that curl gets.`;
  }
  if (read.loadPerCore >= BUSY_LOAD) {
    return `This machine limits reading: other programs keep it busy, and svcfs gets ${percent} of the ${speed(curl.bytesPerSecond)} that curl gets.`;
  }
  return `The mount limits reading: it gets ${percent} of the ${speed(curl.bytesPerSecond)} that curl gets, and its process is not busy.`;
}

export function speed(bytesPerSecond: number): string {
  return `${describeSize(Math.round(bytesPerSecond))}/s`;
}
