import type { Api } from '../../../api/api.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import type { ContentReader, DeliverObject } from '../../ports.ts';
import type { Journal } from '../journal/journal.ts';
import type { PartSender } from '../parts/part-sender.ts';
import type { FetchTurns } from '../spool/fetch-turns.ts';
import type { SpoolSpace } from '../spool/spool-space.ts';
import type { UploadAborts } from '../upload/upload-aborts.ts';

/** The objects that all drafts of a writer share. */
export interface WriterContext {
  readonly api: Api;
  readonly clock: Clock;
  readonly reader: ContentReader;
  readonly memory: MemoryPool;
  readonly fetchTurns: FetchTurns;
  readonly sender: PartSender;
  readonly aborts: UploadAborts;
  readonly journal: Journal;
  /** Of the machine's run since it was started; undefined: the system tells none. */
  readonly bootId: string | undefined;
  readonly space: SpoolSpace;
  readonly partSizeBytes: number;
  /** While requests are short. */
  readonly largerPartSizeBytes: number;
  /** Files get the MD5 of their content as metadata. */
  readonly md5Sum: boolean;
  readonly spoolPath: (draftId: string) => string;
  /** For drafts that an ended mount left behind. */
  readonly deliver: DeliverObject;
}
