/** The journal of files that went aside, when its disk takes no more. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AsideJournal } from '../../../../../src/vfs/change/aside/aside-journal.ts';
import { MAY_MOUNT, SmallDisk } from '../../../../support/small-disk.ts';

const KNOWN = { kind: 'unlinked', fileId: 'known' } as const;
const REFUSED = { kind: 'unlinked', fileId: 'refused' } as const;

it.skipIf(!MAY_MOUNT)(
  'tells of a full disk, leaves nothing there, and goes on when there is room',
  async () => {
    const disk = await SmallDisk.mount(64 * 1024);
    onTestFinished(() => disk.unmount());
    const directory = join(disk.path, 'aside');
    const journal = new AsideJournal(directory);
    await journal.put(KNOWN);
    await disk.fill();
    await expect(journal.put(REFUSED)).rejects.toMatchObject({
      name: 'FsError',
      errno: 'ENOSPC',
      message: `the disk of ${directory} is full; free space there`,
    });
    expect(await readdir(directory)).toEqual(['known.json']);
    await disk.empty();
    await journal.put(REFUSED);
    expect(await journal.entries()).toEqual(expect.arrayContaining([KNOWN, REFUSED]));
  },
);
