/**
 * Decides about each draft that an ended mount left behind.
 *
 * A draft whose publication was asked for is owed: as a whole, or as it was closed before later writes. It goes on from
 * the parts that the store has. Of several drafts for one place, the one that began last is owed; the journal keeps that
 * order.
 *
 * The bytes of the others are kept for a person: no program said that they were whole, or they are older, or the machine
 * ended before they were on its disk. Drafts whose names were removed go.
 */
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Semaphore } from '../../../lib/semaphore.ts';
import { NEVER_ABORTED } from '../../../lib/shared-signals.ts';
import type { OwedDraft, Recovery, UploadTarget } from '../../ports.ts';
import { aboutDraft } from '../draft/keep-draft.ts';
import { keepSpool, keptBefore, leftOut, makeSpool } from '../draft/keep-spool.ts';
import type { SpooledDraft } from '../draft/spooled-draft.ts';
import type { WriterContext } from '../draft/writer-context.ts';
import { type DraftState, isAsked, owesChanges } from '../journal/journal-entry.ts';
import { hasSurvived, MAY_BE_ZEROS } from '../journal/spool-survival.ts';
import { keptName } from '../kept/kept-name.ts';
import { ExtentMap, extentsOf, hasReleased } from '../spool/extent-map.ts';
import { onlyInUpload } from '../spool/refuse-released.ts';
import { removeSpool, SPOOL_SUFFIX, writeSpool } from '../spool/spool-file.ts';
import { owedAnnotations, owedContent, owedObject, sizeOf } from './owed-draft.ts';
import { splitAtClose } from './split-at-close.ts';
import { uniteParts } from './unite-parts.ts';

/** Spools are made or copied: of each a file is open, or two, and a process may have few. */
const MOST_SPOOLS = 32;

export interface RecoverOptions {
  readonly directory: string;
  readonly context: WriterContext;
  readonly restore: (state: DraftState) => SpooledDraft;
}

type Recovered = Omit<Recovery, 'draftId'>;

interface FoundSpool {
  readonly spoolBytes: number;
  /** Its bytes are those that were written. */
  readonly survived: boolean;
}

interface DraftOptions extends RecoverOptions {
  /** By its place, the id of the draft that was begun last of those whose publication was asked for. */
  readonly newest: ReadonlyMap<string, string>;
  /** Of those who make or copy a spool. */
  readonly turns: Semaphore;
}

export async function recoverDrafts(options: RecoverOptions): Promise<readonly Recovery[]> {
  const drafts = options.context.journal.drafts;
  const orphans = await keepOrphans(options, new Set(drafts.map(({ id }) => id)));
  const asked = drafts.filter((draft) => isAsked(draft) && !draft.publishedFileId);
  const newest = new Map(asked.map(({ id, target }) => [placeOf(target), id]));
  const turns = new Semaphore(MOST_SPOOLS);
  const recoveries = await Promise.all(
    drafts.map((state) => settled(state, () => recoverDraft(state, { ...options, newest, turns }))),
  );
  return [...recoveries.flat(), ...orphans];
}

function placeOf({ parent, name, onward }: UploadTarget): string {
  return onward === undefined ? `${parent}/${name}` : `${onward.volume}/${onward.location}`;
}

/** One that fails is left to the next mount, and is no reason for this one not to be. */
async function settled(
  { id, label }: { readonly id?: string; readonly label: string },
  recover: () => Promise<readonly (Recovered | undefined)[]>,
): Promise<readonly Recovery[]> {
  try {
    return (await recover()).flatMap((recovered) => (recovered ? { ...recovered, draftId: id } : []));
  } catch (error) {
    return [{ draftId: id, label, outcome: { kind: 'failed', error } }];
  }
}

async function recoverDraft(
  state: DraftState,
  options: DraftOptions,
): Promise<readonly (Recovered | undefined)[]> {
  if (state.removed) return [await remove(state, options.context)];
  const isLast =
    state.publishedFileId === undefined && options.newest.get(placeOf(state.target)) === state.id;
  const { context, turns } = options;
  const split = isLast ? await turns.run(() => splitAtClose(state, context), NEVER_ABORTED) : undefined;
  return [...(split?.recoveries ?? []), await recoverWhole(split?.closed ?? state, options)];
}

async function recoverWhole(state: DraftState, options: DraftOptions): Promise<Recovered | undefined> {
  const { id, label } = state;
  const { context, turns } = options;
  if (state.publishedFileId !== undefined) {
    const owed = await owedOfPublished(state, state.publishedFileId, context);
    return owed && { label, outcome: { kind: 'owed', owed } };
  }
  const spool = context.spoolPath(id);
  const { bytes } = state;
  if (bytes !== undefined)
    await turns.run(() => writeSpool(spool, Buffer.from(bytes, 'base64')), NEVER_ABORTED);
  const spoolBytes = await sizeOf(spool);
  const survived = hasSurvived(state, context.bootId);
  const reason = whyNotPublished(state, { spoolBytes, survived, newest: options.newest });
  if (reason !== undefined) return giveUp(state, { ...options, spoolBytes, survived, reason });
  const upload = state.upload && (await uniteParts(context.api, state, spool));
  const owed = owedContent(options.restore({ ...state, upload }), state, context);
  return { label, outcome: { kind: 'owed', owed } };
}

/** A program that still had the file open lost its handle with the mount. */
async function remove(
  { id, upload }: DraftState,
  { aborts, journal, spoolPath }: WriterContext,
): Promise<undefined> {
  if (upload !== undefined) void aborts.abort(upload.ticket.uploadId);
  await removeSpool(spoolPath(id));
  journal.record({ type: 'end', id });
}

async function owedOfPublished(
  state: DraftState,
  fileId: string,
  context: WriterContext,
): Promise<OwedDraft | undefined> {
  const { id, annotations, dropped = [], target } = state;
  if (target.onward !== undefined) return owedObject(state, { fileId, place: target.onward }, context);
  await removeSpool(context.spoolPath(id));
  if (owesChanges(state))
    return owedAnnotations(state, { fileId, changes: { annotations, dropped } }, context);
  context.journal.record({ type: 'end', id });
  return undefined;
}

function whyNotPublished(
  { id, phase, target, extents }: DraftState,
  { spoolBytes, survived, newest }: Pick<DraftOptions, 'newest'> & FoundSpool,
): string | undefined {
  if (phase === 'open') return 'it was still being written when the mount ended';
  if (newest.get(placeOf(target)) !== id) return 'a newer version of it was written before the mount ended';
  const localEnd = extents.findLast(({ origin }) => origin.kind === 'local')?.end ?? 0;
  if (localEnd > spoolBytes) return `its spool was cut short: ${spoolBytes} of ${localEnd} bytes are left`;
  return survived ? undefined : 'its upload was not known to have ended when the mount did';
}

async function giveUp(
  state: DraftState,
  options: RecoverOptions & FoundSpool & { readonly reason: string },
): Promise<Recovered | undefined> {
  const { aborts, journal, spoolPath } = options.context;
  const spool = spoolPath(state.id);
  const doubt = options.survived ? '' : `; ${MAY_BE_ZEROS}`;
  // Neither can the upload be completed, which would put half a file under the name, nor may it go.
  if (state.upload !== undefined && hasReleased(state.extents)) {
    const reason = `${options.reason}; ${onlyInUpload(state.upload.ticket.uploadId)}${doubt}`;
    return { label: state.label, outcome: { kind: 'kept', path: spool, reason } };
  }
  if (state.upload !== undefined) void aborts.abort(state.upload.ticket.uploadId);
  const end = { type: 'end', id: state.id } as const;
  const name = keptName(state);
  const missing = [...leftOut(state.extents), ...(options.survived ? [] : [MAY_BE_ZEROS])].join('; ');
  const because = { reason: options.reason, atMs: options.context.clock.now(), acknowledged: isAsked(state) };
  const about = aboutDraft(state, because, missing === '' ? undefined : missing);
  const isNew = options.spoolBytes === 0 && isClosedWithoutBytes(state) && !(await keptBefore(spool, name));
  if (isNew) await makeSpool(spool, new ExtentMap(state.extents).sizeBytes);
  const hasSpool = isNew || options.spoolBytes > 0;
  const path = hasSpool ? await keepSpool(spool, name, about) : await keptBefore(spool, name);
  if (path === undefined) {
    await removeSpool(spool);
    journal.record(end);
    if (isUnchanged(state)) return undefined;
    return {
      label: state.label,
      outcome: { kind: 'lost', reason: `${options.reason}; ${whatIsLost(state)}` },
    };
  }
  journal.record(end);
  const reason = [options.reason, ...leftOut(state.extents)].join('; ') + doubt;
  return { label: state.label, outcome: { kind: 'kept', path, reason } };
}

function whatIsLost({ extents }: DraftState): string {
  const { sizeBytes, localBytes } = new ExtentMap(extents);
  if (localBytes > 0) return 'what was written is not on this machine: look whether the platform has it';
  return `that it was cut or put together anew (${sizeBytes} bytes) is lost, and the file is as before`;
}

/** A close acknowledged it, and it is empty or all hole: there is no spool that could be lost. */
function isClosedWithoutBytes(state: DraftState): boolean {
  return isAsked(state) && state.extents.every(({ origin }) => origin.kind === 'hole');
}

/** It still is what it began as: what it was made from, or a new file without bytes. */
function isUnchanged({ base, extents, target }: DraftState): boolean {
  if (base === undefined) return extents.length === 0 && target.replaces === undefined;
  return isDeepStrictEqual(extents, extentsOf(base));
}

/** Spools that no entry tells of: their entry was lost with the machine. */
async function keepOrphans(
  { directory, context }: RecoverOptions,
  known: ReadonlySet<string>,
): Promise<readonly Recovery[]> {
  const kept: Recovery[] = [];
  for (const name of await readdir(directory)) {
    if (!name.endsWith(SPOOL_SUFFIX) || known.has(name.slice(0, -SPOOL_SUFFIX.length))) continue;
    const spool = join(directory, name);
    kept.push(
      ...(await settled({ label: name }, async () => [await keepOrphan(spool, context.clock.now())])),
    );
  }
  return kept;
}

async function keepOrphan(spool: string, nowMs: number): Promise<Recovered | undefined> {
  if ((await sizeOf(spool)) === 0) {
    await removeSpool(spool);
    return undefined;
  }
  const label = basename(spool);
  const id = basename(spool, SPOOL_SUFFIX);
  const reason = 'the journal does not know it';
  const nowhere = { missing: undefined, target: undefined, annotations: undefined };
  const about = { id, label, keptMs: nowMs, reason, acknowledged: false, ...nowhere };
  return { label, outcome: { kind: 'kept', path: await keepSpool(spool, id, about), reason } };
}
