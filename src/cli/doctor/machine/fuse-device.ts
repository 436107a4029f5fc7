import { constants, open, readFile, stat } from 'node:fs/promises';
import { errorCode } from '../../../lib/error-code.ts';
import { plainReason } from '../../../lib/plain-reason.ts';
import { type Finding, fault, ok } from '../../finding.ts';
import { asRoot } from '../as-root.ts';

const CHECK = '/dev/fuse';
/** The kernel's admin-guide/devices.txt. */
const MAJOR = 10;
const MINOR = 229;

interface DevicePlaces {
  readonly device: string;
  /** The file systems that the kernel knows now. */
  readonly known: string;
}

const LINUX: DevicePlaces = { device: '/dev/fuse', known: '/proc/filesystems' };

/** Whether this user can open the device. To open it mounts nothing. */
export async function checkFuseDevice({ device, known }: DevicePlaces = LINUX): Promise<Finding> {
  const make = `mknod -m 666 ${device} c ${MAJOR} ${MINOR}`;
  const facts = await stat(device).catch(() => undefined);
  if (facts === undefined) {
    const hasModule = /\tfuse$/m.test(await readFile(known, 'utf8').catch(() => ''));
    return fault(
      CHECK,
      'there is none; a container is given it with --device /dev/fuse --cap-add SYS_ADMIN',
      { remedy: asRoot(hasModule ? make : 'modprobe fuse') },
    );
  }
  if (!facts.isCharacterDevice() || facts.rdev !== MAJOR * 256 + MINOR)
    return fault(CHECK, 'something else is there', {
      remedy: `${asRoot(`rm -r ${device}`)} && ${asRoot(make)}`,
    });
  try {
    await (await open(device, constants.O_RDWR)).close();
    return ok(CHECK, 'may be opened');
  } catch (error) {
    return refusal(device, error);
  }
}

function refusal(device: string, error: unknown): Finding {
  switch (errorCode(error)) {
    case 'EACCES':
      return fault(CHECK, 'you may not open it', { remedy: asRoot(`chmod 666 ${device}`) });
    case 'EPERM':
      return fault(CHECK, 'this container may not open it', {
        remedy: '# start the container with --device /dev/fuse --cap-add SYS_ADMIN',
      });
    case 'ENODEV':
    case 'ENXIO':
      return fault(CHECK, 'the kernel module is not loaded', { remedy: asRoot('modprobe fuse') });
    default:
      return fault(CHECK, `cannot be opened: ${plainReason(error)}`);
  }
}
