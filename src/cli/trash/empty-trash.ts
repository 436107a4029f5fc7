import type { TrashEmptyOptions } from '../../config/trash-options.ts';
import { describeSize } from '../../lib/describe-size.ts';
import { confirmed } from '../ask.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { olderThanOf } from './list-trash.ts';
import { placeOfTrash } from './trash-places.ts';

export async function emptyTrash(
  paths: readonly string[],
  { olderThan, force }: TrashEmptyOptions,
  context: Context,
): Promise<void> {
  for (const path of paths) {
    const place = await placeOfTrash(path, context);
    try {
      const what = olderThanOf(olderThan);
      const { files } = await place.ask({ action: 'list', ...what });
      const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const count = `${files.length} ${files.length === 1 ? 'file' : 'files'} (${describeSize(bytes)})`;
      const question = `delete ${count} of ${path} for good?`;
      const isAsked = !force && process.stdin.isTTY === true;
      if (isAsked && !(await confirmed(question, context.signal)))
        throw new CliError('failure', 'nothing was deleted');
      await place.ask({ action: 'empty', ...what });
      console.log(`deleted ${count} of ${path}`);
    } finally {
      await place.close();
    }
  }
}
