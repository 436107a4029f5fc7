import type { UploadTicket } from '../../../api/model.ts';
import { checkedLine, checkedValue } from '../../../lib/checked-lines.ts';
import type { Annotations, ContentVersion, Refusal, UploadTarget } from '../../ports.ts';
import type { PartLayout } from '../parts/part-plan.ts';
import type { Extent } from '../spool/extent-map.ts';
import { type PackedExtents, packExtents, unpackExtents } from './packed-extents.ts';

export interface SentPart {
  readonly partNumber: number;
  readonly etag: string;
  readonly sizeBytes: number;
}

/** A multipart upload as far as it has come. */
export interface UploadState {
  readonly ticket: UploadTicket;
  /** Its parts get larger (`PartLayout`); undefined in journals of before there were such. */
  readonly grows?: boolean | undefined;
  /** The size that the upload was begun with; undefined: none was said. */
  readonly sizeBytes: number | undefined;
  /** Parts the store has, whose bytes in the spool are still the same. */
  readonly parts: readonly SentPart[];
  /** The highest number of a part that was ever sent, whatever became of its bytes. Undefined in journals of before. */
  readonly lastPart?: number | undefined;
}

export function layoutOf({ ticket, grows = false }: UploadState): PartLayout {
  return { partSizeBytes: ticket.partSizeBytes, grows };
}

/** All it takes to go on with a draft in another process. */
export interface DraftState {
  readonly id: string;
  readonly label: string;
  /** When it was opened, by our clock. */
  readonly createdMs: number;
  readonly target: UploadTarget;
  readonly base: ContentVersion | undefined;
  readonly annotations: Annotations | undefined;
  /** Those of `annotations.metadata` that tell of the bytes as they are. Undefined in journals of before. */
  readonly noted?: Annotations['metadata'] | undefined;
  /** Keys of pairs that its file may have been given, and that were taken back. Undefined: none. */
  readonly dropped?: readonly string[] | undefined;
  /** `publishing` from the moment publication is asked for until it succeeded, or something was changed. */
  readonly phase: 'open' | 'publishing';
  /** The file that has these bytes already: only the annotations are owed, or the way to a volume. */
  readonly publishedFileId: string | undefined;
  readonly extents: readonly Extent[];
  readonly upload: UploadState | undefined;
  /** All the bytes, in base64: of a small file, whose spool need not be durable then. */
  readonly bytes?: string | undefined;
  /** Of one that was written on since: its first bytes, durable, as a close acknowledged them; `bytes` as above. */
  readonly closed?: { readonly sizeBytes: number; readonly bytes?: string | undefined } | undefined;
  /** Its name was removed while somebody had it open, who is the last to need it. Undefined: it was not. */
  readonly removed?: true | undefined;
  /** All that the extents say of the spool is on the disk. Undefined, as in journals of before: that is not known. */
  readonly onDisk?: boolean | undefined;
  /** The service does not take it, as it is. Undefined: as far as is known it may. */
  readonly refused?: Refusal | undefined;
  /** The run of the machine in which this was recorded; undefined also in journals of before. */
  readonly bootId?: string | undefined;
}

/** Somebody was told that it would be published, all of it or as it was closed. */
export function isAsked({ phase, closed }: Pick<DraftState, 'phase' | 'closed'>): boolean {
  return phase === 'publishing' || closed !== undefined;
}

/** Its file is still to be given something, or to lose it. */
export function owesChanges({
  annotations,
  dropped = [],
}: Pick<DraftState, 'annotations' | 'dropped'>): boolean {
  return annotations !== undefined || dropped.length > 0;
}

export type JournalEntry =
  | { readonly type: 'draft'; readonly draft: DraftState }
  | { readonly type: 'part'; readonly id: string; readonly uploadId: string; readonly part: SentPart }
  /** The part's bytes have changed since it was sent. */
  | { readonly type: 'stale'; readonly id: string; readonly partNumber: number }
  | { readonly type: 'end'; readonly id: string };

type WrittenEntry =
  | Exclude<JournalEntry, { readonly type: 'draft' }>
  | { readonly type: 'draft'; readonly draft: WrittenDraft };

type WrittenDraft = Omit<DraftState, 'extents'> & { readonly extents: PackedExtents | readonly Extent[] };

/** One line, with its end. */
export function encodeEntry(entry: JournalEntry): string {
  return checkedLine(written(entry));
}

/** Undefined when the line is damaged. */
export function decodeEntry(line: string): JournalEntry | undefined {
  return entryOf(checkedValue(line));
}

/** The entry that a line tells; undefined: the line is damaged. */
export function entryOf(value: unknown): JournalEntry | undefined {
  const entry = value as WrittenEntry | undefined;
  if (entry?.type !== 'draft') return entry;
  return { ...entry, draft: { ...entry.draft, extents: unpackExtents(entry.draft.extents) } };
}

/** The drafts of a journal, with one more entry. */
export function applyEntry(drafts: Map<string, DraftState>, entry: JournalEntry): void {
  switch (entry.type) {
    case 'draft':
      drafts.set(entry.draft.id, entry.draft);
      return;
    case 'part':
      // One that an abandoned upload was still sending counts for nothing.
      if (drafts.get(entry.id)?.upload?.ticket.uploadId !== entry.uploadId) return;
      changeUpload(drafts, entry.id, ({ parts, lastPart = 0, ...upload }) => ({
        ...upload,
        parts: [...parts.filter(({ partNumber }) => partNumber !== entry.part.partNumber), entry.part],
        lastPart: Math.max(lastPart, entry.part.partNumber),
      }));
      return;
    case 'stale':
      changeUpload(drafts, entry.id, ({ parts, ...upload }) => ({
        ...upload,
        parts: parts.filter((part) => part.partNumber !== entry.partNumber),
      }));
      return;
    case 'end':
      drafts.delete(entry.id);
      return;
    default:
      entry satisfies never;
  }
}

function written(entry: JournalEntry): WrittenEntry {
  if (entry.type !== 'draft') return entry;
  return { ...entry, draft: { ...entry.draft, extents: packExtents(entry.draft.extents) } };
}

function changeUpload(
  drafts: Map<string, DraftState>,
  id: string,
  change: (upload: UploadState) => UploadState,
): void {
  const draft = drafts.get(id);
  if (draft?.upload === undefined) return;
  drafts.set(id, { ...draft, upload: change(draft.upload) });
}
