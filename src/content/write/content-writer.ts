/**
 * Writing: drafts in, files out.
 *
 * A draft's bytes live in a spool file until they are a file at the service. Full parts that the writer has left behind
 * are sent while it writes on, from one process-wide queue; publication sends the rest and completes. The journal
 * knows enough to go on after a kill; `recover` does.
 *
 *   directory/journal          what is unfinished
 *   directory/<id>.spool       bytes of the draft `<id>`
 *   directory/recovered/       bytes of drafts that nobody asked to publish, for a person to look at
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Api } from '../../api/api.ts';
import type { StorageClient } from '../../api/storage-client.ts';
import { bootId } from '../../lib/boot-id.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type {
  ContentReader,
  ContentVersion,
  ContentWriter,
  DeliverObject,
  SpoolUsage,
  UploadTarget,
} from '../ports.ts';
import { SpooledDraft } from './draft/spooled-draft.ts';
import type { WriterContext } from './draft/writer-context.ts';
import { Journal } from './journal/journal.ts';
import type { DraftState } from './journal/journal-entry.ts';
import { asideFiles } from './kept/kept-files.ts';
import { putBack } from './kept/put-back.ts';
import { PartSender } from './parts/part-sender.ts';
import { largerPartSize } from './parts/preferred-part-size.ts';
import { owedContent } from './recovery/owed-draft.ts';
import { recoverDrafts } from './recovery/recover-drafts.ts';
import type { DiskRoom } from './spool/disk-limit.ts';
import { extentsOf } from './spool/extent-map.ts';
import { FetchTurns } from './spool/fetch-turns.ts';
import { SpoolSpace } from './spool/spool-space.ts';
import { UploadAborts } from './upload/upload-aborts.ts';

export interface ContentWriterOptions {
  readonly api: Api;
  readonly storage: StorageClient;
  /** For the bytes that drafts build on. */
  readonly reader: ContentReader;
  /** Shared with the reader. */
  readonly memory: MemoryPool;
  readonly clock: Clock;
  /** Absolute, of this mount alone; made if it is not there. */
  readonly directory: string;
  /** Parts on their way at once, over all files. Default: what measured throughput says. */
  readonly partsInFlight?: number | undefined;
  /** Asked of the service, which may decide otherwise; at least 5 MiB on the platform. */
  readonly partSizeBytes: number;
  /** Give files the MD5 of their content as metadata pair `md5_sum`. Default false. */
  readonly md5Sum?: boolean | undefined;
  /** The disk space that all spools may take together. Default: no limit but the disk's. */
  readonly spoolSizeBytes?: number;
  /** The room that the disk has, where `spoolSizeBytes` is not given. Default: everything that the disk takes. */
  readonly disk?: DiskRoom | undefined;
  /** Delivers the uploaded object of a draft for a volume when the mount that began the draft has ended. */
  readonly deliver: DeliverObject;
  /** Default: the machine's. */
  readonly bootId?: string | undefined;
}

interface DraftOptions {
  readonly target: UploadTarget;
  readonly base: ContentVersion | undefined;
  readonly label: string;
}

/** The part that is being written, and the one after it: a part is sent when its writer has moved on. */
const OVERDRAFT_PARTS = 2;

export function createContentWriter(options: ContentWriterOptions): ContentWriter {
  return new SpoolingWriter(options);
}

class SpoolingWriter implements ContentWriter {
  readonly #options: ContentWriterOptions;
  readonly #drafts = new Set<SpooledDraft>();
  readonly #space: SpoolSpace;
  #opening: Promise<WriterContext> | undefined;

  constructor(options: ContentWriterOptions) {
    this.#options = options;
    this.#space = new SpoolSpace({
      limitBytes: options.spoolSizeBytes ?? Number.POSITIVE_INFINITY,
      disk: options.spoolSizeBytes === undefined ? options.disk : undefined,
      overdraftBytes: OVERDRAFT_PARTS * options.partSizeBytes,
      clock: options.clock,
    });
  }

  async draft({ target, base, label }: DraftOptions): Promise<SpooledDraft> {
    const context = await this.#context();
    const state = {
      id: randomUUID(),
      label,
      createdMs: this.#options.clock.now(),
      target,
      base,
      annotations: undefined,
      phase: 'open',
      publishedFileId: undefined,
      extents: extentsOf(base),
      upload: undefined,
    } as const;
    context.journal.record({ type: 'draft', draft: state });
    return this.#enter(state, context);
  }

  uploads(): ReturnType<ContentWriter['uploads']> {
    return [...this.#drafts].flatMap((draft) => draft.progress ?? []);
  }

  spool(): SpoolUsage {
    return this.#space.usage;
  }

  async publishedDrafts(): Promise<readonly string[]> {
    const { journal } = await this.#context();
    return journal.drafts.flatMap(({ id, publishedFileId }) => (publishedFileId === undefined ? [] : [id]));
  }

  async recover(): ReturnType<ContentWriter['recover']> {
    const context = await this.#context();
    const restore = (state: DraftState): SpooledDraft => this.#enter(state, context);
    return recoverDrafts({ directory: this.#options.directory, context, restore });
  }

  keptAside(): ReturnType<ContentWriter['keptAside']> {
    return asideFiles(this.#options.directory);
  }

  async takeBack(draftId: string): ReturnType<ContentWriter['takeBack']> {
    const context = await this.#context();
    const { directory } = this.#options;
    const state = await putBack({ directory, journal: context.journal, bootId: context.bootId }, draftId);
    return { label: state.label, owed: owedContent(this.#enter(state, context), state, context) };
  }

  async close(): Promise<void> {
    const suspended = await Promise.allSettled([...this.#drafts].map((draft) => draft.suspend()));
    const context = await this.#opening;
    const givenUp = context?.aborts.close();
    // A record that cannot be written counts as lost, as if the mount had been killed.
    await context?.journal.durable().catch(() => {});
    await context?.journal.close();
    await givenUp;
    for (const each of suspended) if (each.status === 'rejected') throw each.reason;
  }

  #enter(state: DraftState, context: WriterContext): SpooledDraft {
    const draft: SpooledDraft = new SpooledDraft(state, context, () => this.#drafts.delete(draft));
    this.#drafts.add(draft);
    return draft;
  }

  #context(): Promise<WriterContext> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  async #open(): Promise<WriterContext> {
    const { api, storage, reader, memory, clock, directory, deliver, partSizeBytes, spoolSizeBytes } =
      this.#options;
    return {
      api,
      clock,
      reader,
      memory,
      fetchTurns: new FetchTurns(memory),
      sender: new PartSender({
        api,
        storage,
        memory,
        clock,
        partsInFlight: this.#options.partsInFlight,
      }),
      aborts: new UploadAborts(api, clock),
      md5Sum: this.#options.md5Sum ?? false,
      journal: await Journal.open(directory),
      bootId: this.#options.bootId ?? (await bootId()),
      space: this.#space,
      partSizeBytes,
      largerPartSizeBytes: largerPartSize(partSizeBytes, { memory, spoolSizeBytes }),
      spoolPath: (draftId) => join(directory, `${draftId}.spool`),
      deliver,
    };
  }
}
