/**
 * What becomes of the drafts that an ended mount left behind. Whose publication was asked for is published, from the
 * parts the store has; the others' bytes are put aside for a person, because nobody said that they were whole.
 */
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import { errorCode } from '../../lib/error-code.ts';
import { type Annotations, ContentError, type ObjectPlace, type Recovery } from '../ports.ts';
import { ExtentMap, extentsOf, hasReleased } from './extent-map.ts';
import { fileChanges } from './file-changes.ts';
import type { DraftState } from './journal-entry.ts';
import { keepSpool, keptName, NOT_WRITTEN_HERE } from './keep-spool.ts';
import { onlyInUpload } from './refuse-released.ts';
import { removeSpool, writeSpool } from './spool-file.ts';
import type { SpooledDraft } from './spooled-draft.ts';
import { uniteParts } from './unite-parts.ts';
import type { WriterContext } from './writer-context.ts';

const SPOOL_SUFFIX = '.spool';

export interface RecoverOptions {
  readonly directory: string;
  readonly context: WriterContext;
  readonly restore: (state: DraftState) => SpooledDraft;
}

export async function recoverDrafts(options: RecoverOptions): Promise<readonly Recovery[]> {
  const { directory, context, restore } = options;
  const drafts = context.journal.drafts;
  const orphans = await keepOrphans(directory, new Set(drafts.map(({ id }) => id)));
  const recoveries = await Promise.all(
    drafts.map((state) => settled(state.label, () => recoverDraft(state, { directory, context, restore }))),
  );
  for (const recovery of recoveries) {
    // The caller looks at it later than it may fail.
    if (recovery?.outcome.kind === 'publishing') recovery.outcome.done.catch(() => {});
  }
  return [...recoveries.flatMap((recovery) => recovery ?? []), ...orphans];
}

/** One that fails is left to the next mount, and is no reason for this one not to be. */
async function settled(
  label: string,
  recover: () => Promise<Recovery | undefined>,
): Promise<Recovery | undefined> {
  try {
    return await recover();
  } catch (error) {
    return { label, outcome: { kind: 'failed', error } };
  }
}

async function recoverDraft(state: DraftState, options: RecoverOptions): Promise<Recovery | undefined> {
  const { id, label } = state;
  const { onward } = state.target;
  const { journal, spoolPath } = options.context;
  if (state.publishedFileId !== undefined && onward !== undefined) {
    const done = deliver(state, { ...options, fileId: state.publishedFileId, place: onward });
    return { label, outcome: { kind: 'publishing', done } };
  }
  if (state.publishedFileId !== undefined) {
    await removeSpool(spoolPath(id));
    if (state.annotations !== undefined) {
      const done = annotate(state.publishedFileId, { id, annotations: state.annotations }, options.context);
      return { label, outcome: { kind: 'publishing', done } };
    }
    journal.record({ type: 'end', id });
    return undefined;
  }
  if (state.bytes !== undefined) await writeSpool(spoolPath(id), Buffer.from(state.bytes, 'base64'));
  const spoolBytes = await sizeOf(spoolPath(id));
  const localEnd = state.extents.findLast(({ origin }) => origin.kind === 'local')?.end ?? 0;
  if (state.phase === 'publishing' && localEnd <= spoolBytes) {
    return { label, outcome: { kind: 'publishing', done: publish(state, options) } };
  }
  const reason =
    state.phase === 'open'
      ? 'it was still being written when the mount ended'
      : `its spool was cut short: ${spoolBytes} of ${localEnd} bytes are left`;
  return giveUp(state, { ...options, spoolBytes, reason });
}

async function publish(state: DraftState, options: RecoverOptions): Promise<FileRecord> {
  const { context, restore } = options;
  const spool = context.spoolPath(state.id);
  const upload = state.upload && (await uniteParts(context.api, state, spool));
  const draft = restore({ ...state, upload });
  try {
    const file = await draft.publish(new AbortController().signal);
    const { onward } = state.target;
    if (onward !== undefined) {
      await context.deliver(file.id, onward);
      await draft.discard();
    }
    return file;
  } catch (error) {
    if (!isFinal(error)) throw error;
    throw givenUp(error, (await draft.keep())?.path);
  } finally {
    await draft.close();
  }
}

/** It is uploaded; what is owed is the object. */
async function deliver(
  state: DraftState,
  { context, fileId, place }: RecoverOptions & { readonly fileId: string; readonly place: ObjectPlace },
): Promise<undefined> {
  const spool = context.spoolPath(state.id);
  try {
    await context.deliver(fileId, place);
    await removeSpool(spool);
  } catch (error) {
    if (!isFinal(error)) throw error;
    const path = (await sizeOf(spool)) === 0 ? undefined : await keepSpool(spool, keptName(state));
    context.journal.record({ type: 'end', id: state.id });
    throw givenUp(error, path);
  }
  context.journal.record({ type: 'end', id: state.id });
}

function givenUp(error: Error, path: string | undefined): ContentError {
  const where = path === undefined ? 'no bytes are here' : `the bytes are kept at ${path}`;
  return new ContentError('failed', `${error.message}; ${where}`, { cause: error });
}

/** The same answer would come every time: unlike a service that is away, or a token that is not good now. */
function isFinal(error: unknown): error is Error {
  if (error instanceof ContentError) return error.kind === 'changed';
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 401;
}

async function annotate(
  fileId: string,
  owed: { readonly id: string; readonly annotations: Annotations },
  { api, journal }: WriterContext,
): Promise<FileRecord> {
  const file = await api.files.edit(fileId, fileChanges(owed.annotations), { priority: 'data' });
  journal.record({ type: 'end', id: owed.id });
  return file;
}

async function giveUp(
  state: DraftState,
  options: RecoverOptions & { readonly spoolBytes: number; readonly reason: string },
): Promise<Recovery | undefined> {
  const { api, journal, spoolPath } = options.context;
  const spool = spoolPath(state.id);
  // Neither can the upload be completed, which would put half a file under the name, nor may it go.
  if (state.upload !== undefined && hasReleased(state.extents)) {
    const reason = `${options.reason}; ${onlyInUpload(state.upload.ticket.uploadId)}`;
    return { label: state.label, outcome: { kind: 'kept', path: spool, reason } };
  }
  if (state.upload !== undefined) {
    api.uploads.abort(state.upload.ticket.uploadId, { priority: 'background' }).catch(() => {});
  }
  const end = { type: 'end', id: state.id } as const;
  if (options.spoolBytes === 0) {
    await removeSpool(spool);
    journal.record(end);
    if (isUnchanged(state)) return undefined;
    const { sizeBytes } = new ExtentMap(state.extents);
    const lost = `that it was cut or put together anew (${sizeBytes} bytes) is lost, and the file is as before`;
    return { label: state.label, outcome: { kind: 'lost', reason: `${options.reason}; ${lost}` } };
  }
  const path = await keepSpool(spool, keptName(state));
  journal.record(end);
  const partly = state.base === undefined ? '' : `; ${NOT_WRITTEN_HERE}`;
  return { label: state.label, outcome: { kind: 'kept', path, reason: options.reason + partly } };
}

/** It still is what it began as: what it was made from, or a new file without bytes. */
function isUnchanged({ base, extents, target }: DraftState): boolean {
  if (base === undefined) return extents.length === 0 && target.replaces === undefined;
  return isDeepStrictEqual(extents, extentsOf(base));
}

/** Spools that no entry tells of: their entry was lost with the machine. */
async function keepOrphans(directory: string, known: ReadonlySet<string>): Promise<readonly Recovery[]> {
  const kept: Recovery[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(SPOOL_SUFFIX) || known.has(name.slice(0, -SPOOL_SUFFIX.length))) continue;
    const recovery = await settled(name, () => keepOrphan(join(directory, name)));
    if (recovery !== undefined) kept.push(recovery);
  }
  return kept;
}

async function keepOrphan(spool: string): Promise<Recovery | undefined> {
  if ((await sizeOf(spool)) === 0) {
    await removeSpool(spool);
    return undefined;
  }
  const label = basename(spool);
  const path = await keepSpool(spool, basename(spool, SPOOL_SUFFIX));
  return { label, outcome: { kind: 'kept', path, reason: 'the journal does not know it' } };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}
