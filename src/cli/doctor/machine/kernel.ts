import { release, type } from 'node:os';
import { loadNativeAddon } from '../../../fuse/native-addon.ts';
import { messageOf } from '../../../lib/message-of.ts';
import { type Finding, fault, ok, warning } from '../../finding.ts';
import { packageVersion } from '../../package-version.ts';

/** The oldest that svcfs is for, as the README says. */
const OLDEST: readonly [number, number] = [5, 4];

export function checkKernel(system = type(), version = release()): Finding {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  if (system !== 'Linux') return warning('kernel', `${system} ${version}: svcfs is tried on Linux only`);
  const isOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
  const needed = OLDEST.join('.');
  return isOld
    ? fault('kernel', `Linux ${version}, and svcfs needs ${needed} or later`, {
        remedy: `# boot a kernel of ${needed} or later`,
      })
    : ok('kernel', `Linux ${version}`);
}

/** For the limits of the npm package see src/decisions/0002-native-build.md. */
export function checkDriver(driver: string, load: () => unknown = loadNativeAddon): Finding {
  const versions = `svcfs ${packageVersion()}, Node.js ${process.versions.node}`;
  if (driver !== 'native')
    return warning(
      'driver',
      `${versions}, over ${driver}: slower, without copies by the platform, exchange of names and fresh caches`,
      { remedy: 'unset SVCFS_DRIVER   # and leave out --driver' },
    );
  try {
    load();
    return ok('driver', versions);
  } catch (error) {
    return fault('driver', messageOf(error), { remedy: 'npm run build:native' });
  }
}
