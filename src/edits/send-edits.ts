/**
 * Brings the changes of many files to the platform, 100 files a call. The platform merges pairs; where keys are taken
 * away it replaces all pairs, which are read just before: that is two calls.
 */
import type { FileEdit, FilesApi } from '../api/api.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { ApiError } from '../api/errors.ts';
import type { BulkResult, EntryRecord, Failure, FileRecord } from '../api/model.ts';
import type { FileChange } from '../content/ports.ts';
import { BULK_ITEMS_MAX } from '../contract/limits.ts';
import { inGroups } from '../lib/in-groups.ts';
import { changedBy } from './edit.ts';

/** What is to become of one file. */
export interface ChangeOfFile {
  /** Id. */
  readonly file: string;
  readonly change: FileChange;
}

export type Outcome =
  /** The file as it is then. */
  | { readonly kind: 'done'; readonly file: FileRecord | undefined }
  | { readonly kind: 'refused'; readonly failure: Pick<Failure, 'status' | 'code' | 'message'> }
  /** The same may succeed later. */
  | { readonly kind: 'failed'; readonly error: unknown };

type BulkFiles = Pick<FilesApi, 'bulkGet' | 'bulkEdit' | 'bulkUpdate'>;

/** Told of those that a call was about, after it. */
export type OnOutcomes = (outcomes: readonly (readonly [ChangeOfFile, Outcome])[]) => Promise<void>;

/** A call that fails and may succeed later ends it: what is left has failed so, too. */
export async function sendEdits(
  files: BulkFiles,
  changes: readonly ChangeOfFile[],
  { onOutcomes, ...options }: CallOptions & { readonly onOutcomes: OnOutcomes },
): Promise<void> {
  const erases = ({ change }: ChangeOfFile): boolean => change.dropped.length > 0;
  const merges = changes.filter((each) => !erases(each));
  const calls = [
    ...inGroups(merges, BULK_ITEMS_MAX).map((group) => ({ group, send: merge })),
    ...inGroups(changes.filter(erases), BULK_ITEMS_MAX).map((group) => ({ group, send: replace })),
  ];
  const left = new Set(changes);
  const tell: OnOutcomes = async (outcomes) => {
    for (const [each] of outcomes) left.delete(each);
    await onOutcomes(outcomes);
  };
  try {
    for (const { group, send } of calls) await inHalves(group, (part) => send(files, part, options), tell);
  } catch (error) {
    await onOutcomes([...left].map((each) => [each, { kind: 'failed', error }]));
  }
}

/** One bad item may have the whole call refused: the others are not to suffer from that. */
async function inHalves(
  group: readonly ChangeOfFile[],
  send: (part: readonly ChangeOfFile[]) => Promise<readonly Outcome[]>,
  tell: OnOutcomes,
): Promise<void> {
  const outcomes = await send(group).catch((error: unknown) => refusedAll(group, error));
  if (outcomes === undefined) {
    const middle = Math.ceil(group.length / 2);
    await inHalves(group.slice(0, middle), send, tell);
    return inHalves(group.slice(middle), send, tell);
  }
  await tell(group.map((each, index) => [each, outcomes[index] ?? UNTOLD]));
}

/** Undefined: which of them was refused is to be found out. Throws a failure that may pass. */
function refusedAll(group: readonly ChangeOfFile[], error: unknown): readonly Outcome[] | undefined {
  const refusal = refusalIn(error);
  if (refusal === undefined) throw error;
  return group.length === 1 ? [refusal] : undefined;
}

async function merge(
  files: BulkFiles,
  group: readonly ChangeOfFile[],
  options: CallOptions,
): Promise<readonly Outcome[]> {
  const items = group.map(({ file, change: { metadata, tags } }): FileEdit => {
    const hasPairs = Object.keys(metadata).length > 0;
    return { id: file, ...(hasPairs && { metadata }), ...(tags && { tags }) };
  });
  return outcomesOf(group, await files.bulkEdit(items, options));
}

/** Pairs that another client sets meanwhile are kept, except in the moment between the two calls. */
async function replace(
  files: BulkFiles,
  group: readonly ChangeOfFile[],
  options: CallOptions,
): Promise<readonly Outcome[]> {
  const current = outcomesOf(
    group,
    await files.bulkGet(
      group.map(({ file }) => file),
      options,
    ),
  );
  const there = group.flatMap((each, index) => {
    const found = current[index];
    return found?.kind === 'done' && found.file
      ? [{ index, id: each.file, ...changedBy(found.file, each.change) }]
      : [];
  });
  if (there.length === 0) return current;
  const items = there.map(({ index: _, ...item }) => item);
  const answers = await files.bulkUpdate(items, options);
  const changed = new Map(there.map(({ index }, at) => [index, outcomeOf(answers[at])]));
  return current.map((outcome, index) => changed.get(index) ?? outcome);
}

function outcomesOf(
  group: readonly ChangeOfFile[],
  answers: readonly BulkResult<EntryRecord>[],
): readonly Outcome[] {
  return group.map((_, index) => outcomeOf(answers[index]));
}

function outcomeOf(answer: BulkResult<EntryRecord> | undefined): Outcome {
  if (answer === undefined) return UNTOLD;
  if (answer.ok) return { kind: 'done', file: answer.value.kind === 'file' ? answer.value : undefined };
  const { failure } = answer;
  if (mayPass(failure.status)) return { kind: 'failed', error: new Error(failure.message) };
  return { kind: 'refused', failure };
}

const UNTOLD: Outcome = {
  kind: 'failed',
  error: new Error('the service did not say what became of the file'),
};

/** Undefined: the call may succeed later. */
function refusalIn(error: unknown): Outcome | undefined {
  if (!(error instanceof Error) || error.name !== 'ApiError') return undefined;
  const { status, code, message } = error as ApiError;
  return mayPass(status) ? undefined : { kind: 'refused', failure: { status, code, message } };
}

/** The token may be renewed, and the limit, the service or the way there are at fault. */
function mayPass(status: number): boolean {
  return status === 401 || status === 408 || status === 429 || status >= 500;
}
