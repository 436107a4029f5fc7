import type { TrashRestoreOptions } from '../../config/trash-options.ts';
import { printable } from '../../lib/printable.ts';
import { newestOfEach } from '../../trash/trashed-file.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { placeOfTrash } from './trash-places.ts';

export async function restoreTrash(
  paths: readonly string[],
  { rename }: TrashRestoreOptions,
  context: Context,
): Promise<void> {
  let failed = 0;
  for (const path of paths) {
    const place = await placeOfTrash(path, context);
    try {
      const { files } = await place.ask({ action: 'list' });
      if (files.length === 0)
        throw new CliError(
          'failure',
          `${path}: the trash has nothing of it; svcfs trash list shows what it has`,
        );
      const done = await place.ask({ action: 'restore', files: newestOfEach(files), rename });
      for (const restored of done.restored)
        console.log(`restored ${printable(place.shown(done, [restored]))}`);
      sayFailures(done);
      failed += done.failed;
    } finally {
      await place.close();
    }
  }
  if (failed > 0)
    throw new CliError('failure', `${failed === 1 ? 'one file was' : `${failed} files were`} not restored`);
}
