import { mountedOn, mountPointOfConnection } from '../../fuse/mount-table.ts';
import { connectionOf, requireFuseDevice } from '../../fuse/passed-device.ts';
import { CliError } from '../exit-codes.ts';
import type { PassedMount } from './daemon-messages.ts';
import { leadsIntoMount, type OwnPlace } from './own-files.ts';

export interface ChosenPassed {
  /** What commands call it: the directory that it is mounted on where that can be seen, else `/dev/fd/N`. */
  readonly name: string;
  readonly passed: PassedMount;
}

/**
 * Looks whether a mount belongs to a descriptor, and where it is. Programs that use it wait by now, and so would a look at it.
 *
 * @throws MountError, and CliError when svcfs would wait for itself
 */
export async function choosePassed(
  descriptor: number,
  named: string | undefined,
  own: readonly OwnPlace[],
): Promise<ChosenPassed> {
  requireFuseDevice(descriptor);
  const deviceMinor = await connectionOf(descriptor);
  const seenAt = deviceMinor === undefined ? undefined : await mountPointOfConnection(deviceMinor);
  for (const { what, path } of own) {
    if (await leadsIntoMount(path))
      throw new CliError(
        'mountPointUnfit',
        `${path}: svcfs's own ${what} lies in a mount of svcfs; choose another`,
      );
  }
  const name = named ?? seenAt ?? `/dev/fd/${descriptor}`;
  const isSeen = seenAt !== undefined || (await mountedOn(name)) !== undefined;
  return { name, passed: { descriptor, deviceMinor, isSeen } };
}
