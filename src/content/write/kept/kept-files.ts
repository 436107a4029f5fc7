/**
 * Everything that a mount keeps on this machine and the service does not have: by a look from outside, at the journal and at
 * `recovered/`. Nothing is changed. A mount may be serving meanwhile.
 */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bootId } from '../../../lib/boot-id.ts';
import { errorCode } from '../../../lib/error-code.ts';
import type { AsideFile, OwedChange } from '../../ports.ts';
import { journalIn } from '../journal/journal.ts';
import { applyEntry, type DraftState, isAsked, owesChanges } from '../journal/journal-entry.ts';
import { journalLines } from '../journal/journal-lines.ts';
import { hasSurvived, MAY_BE_ZEROS } from '../journal/spool-survival.ts';
import { type Extent, ExtentMap } from '../spool/extent-map.ts';
import { SPOOL_SUFFIX } from '../spool/spool-file.ts';
import { KEPT_DIRECTORY, readAbout } from './about-kept.ts';

export type KeptState =
  /** The service refused it; it has its place in the mount still. */
  | 'refused'
  /** It has no place in the mount. */
  | 'aside'
  /** The next mount uploads it. */
  | 'waiting'
  /** Its mount ended before it was closed: the next one puts it aside. */
  | 'unclosed';

export interface KeptFile {
  /** Tells it from the others. */
  readonly id: string;
  readonly state: KeptState;
  /** Its path in the mount. */
  readonly label: string;
  readonly sizeBytes: number;
  readonly keptMs: number;
  /** Why it is here, for a person. */
  readonly reason: string;
  /** A close answered that it would be uploaded. */
  readonly acknowledged: boolean;
  /** Of its bytes on this machine; undefined: they are in the journal, or it has none. */
  readonly path: string | undefined;
  /** All of them, in base64, where the journal has them. */
  readonly bytes: string | undefined;
  /** The part of the file that is missing and why, for a person; undefined: it is whole. */
  readonly missing: string | undefined;
  /** As in `AsideFile`. */
  readonly owed?: OwedChange | undefined;
}

interface Look {
  readonly signal: AbortSignal;
  /** A mount has the journal: what waits is on its way, and what is written is no business of others. */
  readonly served: boolean;
  /** The journal tells of no more from some line on. */
  readonly onDamage: () => void;
}

/** Those of the journal, and spools that it does not tell of. `directory` is that of the spools. */
export async function filesOwed(directory: string, look: Look): Promise<readonly KeptFile[]> {
  const { served } = look;
  const drafts = await draftsIn(directory, look);
  const boot = await bootId();
  const files = await Promise.all(drafts.map((draft) => ofDraft(directory, draft, { served, boot })));
  // A mount that has it may have made one just now.
  const unknown = served ? [] : await unknownSpools(directory, new Set(drafts.map(({ id }) => id)));
  return [...files.flatMap((file) => file ?? []), ...unknown];
}

/** Those of `recovered/` alone. */
export async function filesAside(directory: string): Promise<readonly KeptFile[]> {
  const names = await namesIn(join(directory, KEPT_DIRECTORY));
  const files = await Promise.all(names.map((name) => fileAside(directory, name)));
  return files.flatMap((file) => file ?? []);
}

/** Those of `recovered/`, as a mount tells of them. */
export async function asideFiles(directory: string): Promise<readonly AsideFile[]> {
  const files = await filesAside(directory);
  return files.flatMap(({ path, ...file }) => (path === undefined ? [] : { ...file, path }));
}

async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
}

/** Undefined: it was removed meanwhile. */
async function fileAside(directory: string, name: string): Promise<KeptFile | undefined> {
  const path = join(directory, KEPT_DIRECTORY, name);
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile()) return undefined;
  const about = await readAbout(directory, name);
  return {
    id: about?.id ?? name,
    state: 'aside',
    label: about?.label ?? name,
    sizeBytes: facts.size,
    keptMs: about?.keptMs ?? facts.mtimeMs,
    reason: about?.reason ?? 'an older version of svcfs kept it, whose log says why',
    acknowledged: about?.acknowledged ?? false,
    path,
    bytes: undefined,
    missing: about?.missing,
    owed: about?.owed,
  };
}

async function unknownSpools(directory: string, known: ReadonlySet<string>): Promise<readonly KeptFile[]> {
  const names = await namesIn(directory);
  const spools = names.filter((name) => name.endsWith(SPOOL_SUFFIX) && !known.has(idOf(name)));
  const files = await Promise.all(spools.map((name) => unknownSpool(directory, name)));
  return files.flatMap((file) => file ?? []);
}

async function unknownSpool(directory: string, name: string): Promise<KeptFile | undefined> {
  const path = join(directory, name);
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile() || facts.size === 0) return undefined;
  return {
    id: idOf(name),
    state: 'unclosed',
    label: name,
    sizeBytes: facts.size,
    keptMs: facts.mtimeMs,
    reason: 'the journal does not know it: the next mount puts it aside',
    acknowledged: false,
    path,
    bytes: undefined,
    missing: undefined,
  };
}

function idOf(spool: string): string {
  return spool.slice(0, -SPOOL_SUFFIX.length);
}

async function draftsIn(
  directory: string,
  { signal, served, onDamage }: Look,
): Promise<readonly DraftState[]> {
  const drafts = new Map<string, DraftState>();
  for await (const { entry } of journalLines(journalIn(directory), signal)) {
    if (entry === undefined) {
      // The mount may be writing it.
      if (!served) onDamage();
      break;
    }
    applyEntry(drafts, entry);
  }
  return [...drafts.values()];
}

/** Undefined: nothing of it is kept here for anybody. */
async function ofDraft(
  directory: string,
  draft: DraftState,
  { served, boot }: { readonly served: boolean; readonly boot: string | undefined },
): Promise<KeptFile | undefined> {
  const state = stateOf(draft, served);
  if (state === undefined) return undefined;
  const { id, label, createdMs, refused, publishedFileId, extents, closed, phase } = draft;
  const map = new ExtentMap(extents);
  const first = phase === 'publishing' ? undefined : closed;
  const spool = join(directory, `${id}.spool`);
  const spoolBytes = await sizeOf(spool);
  // Bytes that were not synced are in the spool alone, and the next mount puts them aside, too.
  if (state === 'unclosed' && !spoolBytes) return undefined;
  const writtenBytes = state === 'unclosed' ? Math.max(map.sizeBytes, spoolBytes ?? 0) : map.sizeBytes;
  const sizeBytes = first?.sizeBytes ?? writtenBytes;
  const bytes = first ? first.bytes : draft.bytes;
  const found =
    bytes === undefined
      ? { spoolBytes, survived: first !== undefined || hasSurvived(draft, boot) }
      : { spoolBytes: sizeBytes, survived: true };
  return {
    id,
    state,
    label,
    sizeBytes,
    keptMs: refused?.atMs ?? createdMs,
    reason: refused?.reason ?? REASONS[state],
    acknowledged: isAsked(draft),
    path: spoolBytes === undefined ? undefined : spool,
    bytes,
    missing:
      publishedFileId === undefined
        ? missingOf(map.slice(0, sizeBytes), found)
        : `it is file ${publishedFileId} at the service`,
  };
}

const REASONS: Readonly<Record<KeptState, string>> = {
  refused: 'the service refused it',
  aside: 'it is kept aside',
  waiting: 'its mount ended before it was uploaded',
  unclosed: 'it was still being written when its mount ended',
};

function stateOf(draft: DraftState, served: boolean): KeptState | undefined {
  const { removed, refused, publishedFileId, target } = draft;
  if (removed) return undefined;
  if (publishedFileId !== undefined)
    return !served && (owesChanges(draft) || target.onward !== undefined) ? 'waiting' : undefined;
  if (refused !== undefined) return 'refused';
  if (served) return undefined;
  return isAsked(draft) ? 'waiting' : 'unclosed';
}

interface FoundSpool {
  /** Undefined: there is none. */
  readonly spoolBytes: number | undefined;
  /** Its bytes are those that were written. */
  readonly survived: boolean;
}

function missingOf(extents: readonly Extent[], { spoolBytes = 0, survived }: FoundSpool): string | undefined {
  const kinds = new Set(extents.map(({ origin }) => origin.kind));
  const localEnd = extents.findLast(({ origin }) => origin.kind === 'local')?.end ?? 0;
  const reasons = [
    ...(kinds.has('version') ? ['what was not written since it was opened is left out (zeros)'] : []),
    ...(kinds.has('released') ? ['what was written first is only in its unfinished upload (zeros)'] : []),
    ...(localEnd > spoolBytes
      ? [`its spool was cut short: ${spoolBytes} of ${localEnd} bytes are left (the rest are zeros)`]
      : []),
    ...(localEnd > 0 && !survived ? [MAY_BE_ZEROS] : []),
  ];
  return reasons.length > 0 ? reasons.join('; ') : undefined;
}

/** Undefined: it is not there. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
