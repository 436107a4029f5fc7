import { join } from 'node:path';
import { Journal } from '../../content/write/journal/journal.ts';
import { putBack } from '../../content/write/kept/put-back.ts';
import { removeSpool } from '../../content/write/spool/spool-file.ts';
import { bootId } from '../../lib/boot-id.ts';
import { createLogger } from '../../observe/logger.ts';
import { CliError } from '../exit-codes.ts';
import { lockState } from '../mount/lock-state.ts';
import { requireOwnState } from '../require-own-state.ts';
import type { KeptPlace } from './kept-entries.ts';

const STDERR = 2;

/** The draft is owed no more, and its bytes are gone, after a power failure too. No mount has the journal meanwhile. */
export function dropDraft(place: KeptPlace, draftId: string): Promise<void> {
  return withJournal(place, async (journal) => {
    if (!journal.drafts.some(({ id }) => id === draftId))
      throw new CliError('failure', `${draftId}: a mount has dealt with it meanwhile`);
    journal.record({ type: 'end', id: draftId });
    await journal.durable();
    await removeSpool(join(place.account.uploads, `${draftId}.spool`));
  });
}

/** What is kept aside waits for the next mount, which uploads it. */
export async function leaveToNextMount(place: KeptPlace, draftId: string): Promise<void> {
  const boot = await bootId();
  await withJournal(place, (journal) =>
    putBack({ directory: place.account.uploads, journal, bootId: boot }, draftId),
  );
}

async function withJournal<T>(place: KeptPlace, work: (journal: Journal) => Promise<T>): Promise<T> {
  await requireOwnState(place.directory);
  const log = createLogger({ fd: STDERR, level: 'error' });
  const lock = await lockState(place.directory, log, { mounts: false });
  try {
    const journal = await Journal.open(place.account.uploads);
    try {
      return await work(journal);
    } finally {
      await journal.close();
    }
  } finally {
    await lock.unlock();
  }
}
