/**
 * A mount that another process has made: it opened /dev/fuse, gave the descriptor to mount(2), and passes the descriptor on. That
 * process may be privileged, and ours need not be. `/dev/fd/N` names such a descriptor in place of a mount point, as for libfuse.
 */
import { fstatSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { MountError } from './mount-error.ts';

/** Of /dev/fuse: major number 10 and minor number 229, as st_rdev has them (gnu_dev_makedev). */
const FUSE_DEVICE = (10 << 8) | 229;

const REMEDY =
  'the process that starts svcfs opens /dev/fuse, gives the descriptor to mount(2), and passes it on (svcfs help mount)';

/** The descriptor that is named in place of a mount point. */
export function passedDescriptor(path: string): number | undefined {
  const number = /^\/dev\/fd\/(\d+)$/.exec(path)?.[1];
  return number === undefined ? undefined : Number(number);
}

/** @throws MountError when the descriptor is not open on /dev/fuse */
export function requireFuseDevice(descriptor: number): void {
  const named = `/dev/fd/${descriptor}`;
  let device: number;
  try {
    device = fstatSync(descriptor).rdev;
  } catch (cause) {
    throw new MountError('no-descriptor', `${named}: no such descriptor is open: ${REMEDY}`, { cause });
  }
  if (device !== FUSE_DEVICE)
    throw new MountError('no-descriptor', `${named}: not a descriptor of /dev/fuse: ${REMEDY}`);
}

/** Of a descriptor that no mount belongs to; `name` is what commands call the mount. */
export function notMounted(name: string, cause: unknown): MountError {
  return new MountError('no-descriptor', `${name}: no mount belongs to the descriptor: ${REMEDY}`, { cause });
}

/** The minor number of st_dev of the mount. Only newer kernels tell it: it is known on Linux 6.18, and not on 6.1. */
export async function connectionOf(descriptor: number): Promise<number | undefined> {
  const facts = await readFile(`/proc/self/fdinfo/${descriptor}`, 'utf8').catch(() => '');
  const number = /^fuse_connection:\s*(\d+)$/m.exec(facts)?.[1];
  return number === undefined ? undefined : Number(number);
}
