import type { Finding } from '../../finding.ts';
import { checkFuseDevice } from './fuse-device.ts';
import { checkFusermount } from './fusermount.ts';
import { checkDriver, checkKernel } from './kernel.ts';
import { checkMemory, checkOpenFiles, checkWatches } from './limits.ts';
import { checkUpdatedb } from './updatedb.ts';

export interface MachineNeeds {
  readonly driver: string;
  readonly allowOther: boolean;
}

/** What a mount needs of this machine. */
export async function checkMachine(needs: MachineNeeds): Promise<readonly Finding[]> {
  return [
    checkKernel(),
    checkDriver(needs.driver),
    await checkFuseDevice(),
    ...(await checkFusermount(needs)),
    await checkOpenFiles(),
    checkMemory(),
    await checkWatches(),
    await checkUpdatedb(),
  ];
}
