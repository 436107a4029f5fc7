import { join } from 'node:path';
import { entriesOf } from '../../../lib/remove-unchanged.ts';
import { type Remains, remainsAt } from '../objects/remains.ts';
import { NOTES_DIRECTORY } from './key-path.ts';

/** Where objects of a directory bucket are written before they get their names. */
export const INCOMING_DIRECTORY = join(NOTES_DIRECTORY, 'incoming');

/**
 * In all buckets of a directory, the objects half written by processes that ended. A put that is at work has changed its
 * file since `before`: also a link to an old file is a change of that file.
 */
export async function* incomingRemains(buckets: string, before: number): AsyncGenerator<Remains> {
  for (const { name } of await entriesOf(buckets)) {
    const incoming = join(buckets, name, INCOMING_DIRECTORY);
    for (const file of await entriesOf(incoming)) yield remainsAt(join(incoming, file.name), before);
  }
}
