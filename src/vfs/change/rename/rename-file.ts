/**
 * A file gets another name in a project, or another folder.
 *
 * On the platform a rename is one call (edit of the name, or move), and refuses a taken name. Where the service can
 * (`rename_overwrite`), that call replaces the file that has the name. Otherwise, and when a handle is open on the old
 * file, the old file goes aside first and comes back should anything fail (`Asides`, `../aside/asides.ts`). The new file inherits metadata and
 * tags either way.
 *
 * A file that is not published yet is another matter (`rename-draft.ts`).
 */
import type { FileRecord } from '../../../api/model.ts';
import type { Annotations } from '../../../content/ports.ts';
import { holdingAnnotations } from '../../attributes/annotation-lock.ts';
import { replacing } from '../../attributes/owe-change.ts';
import { fits } from '../../attributes/pairs-that-fit.ts';
import { nameOnPlatform } from '../../model/escape.ts';
import type { ReplacedFile } from '../../model/file-content.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import { folderIdOf, pathOf } from '../../model/node.ts';
import { fileToRename, renameEnds, requirePlacesStill } from '../aside/named-now.ts';
import { fileToReplace } from '../aside/replaced-file.ts';
import type { FileRename, FileReplacement } from './file-rename.ts';
import { carriedOver, describedAs, giving, isNothing, NOTHING } from './inherited.ts';
import { renameDraft } from './rename-draft.ts';
import type { RenameParts } from './rename-parts.ts';

/** Within one project. */
export async function renameFile(parts: RenameParts, rename: FileRename): Promise<void> {
  const { tree, contents } = parts;
  const { source, target } = rename;
  const ends = renameEnds(rename);
  // Under its old name: then its new one is a fact at return. One that was refused is tried again under its new name.
  const isOnlyHere = await contents.isOnlyHere(source);
  if (!isOnlyHere && !contents.find(source)?.refused) await contents.publishClosed(source);
  const nodes = target ? [source, target] : [source];
  await contents.holding(nodes, async () => {
    for (const node of nodes) await contents.findUnanswered(node);
    if (target) await publishPromised(parts, { source, target });
    await requirePlacesStill(tree, ends, rename.untilSent);
    const go = (): Promise<void> =>
      holdingAnnotations(nodes, async () => {
        const record = await fileToRename(tree, source);
        const replaced = target && (await fileToReplace(parts, target, rename));
        const replacement = { ...rename, replaced, isOnlyHere };
        return record ? renamePublished(parts, replacement, record) : renameDraft(parts, replacement);
      });
    await contents.moving([source], () => (target ? contents.whileLeaving(contents.of(target), go) : go()));
  });
  if (isOnlyHere) contents.renamed(source);
}

/**
 * Publishes the acknowledged bytes of the target first. They stay owed until a draft has their name on the platform, for
 * that may never get there. Later appends go with them, as when one of two writers closes.
 */
async function publishPromised(
  { contents }: RenameParts,
  { source, target }: { readonly source: ProjectFileNode; readonly target: ProjectFileNode },
): Promise<void> {
  const before = contents.of(target);
  if (before.promised && contents.of(source).outstanding !== 'none') await contents.publishHolding(before);
}

async function renamePublished(
  parts: RenameParts,
  rename: FileReplacement,
  record: FileRecord,
): Promise<void> {
  const { tree } = parts;
  const { source, parent, name, target, replaced } = rename;
  const carried = target ? carriedOver(describedAs(target, replaced?.record), record) : NOTHING;
  const renamed =
    target && replaced
      ? await replace(parts, { ...rename, target }, { record, replaced, given: carried })
      : await givingAt(parts, rename, { record, given: carried }, (put) => putAt(parts, rename, put));
  await parts.asides.deleteOvertaken(record.id, pathOf(source));
  const before = target && parts.contents.of(target);
  if (before && before !== replaced?.content) await parts.contents.unlinked(before, undefined);
  tree.moved(source, { parent, name });
  const { pending } = source;
  tree.published(source, renamed);
  // It comes with the next content.
  source.pending = pending;
}

interface Replacement {
  readonly record: FileRecord;
  readonly replaced: ReplacedFile;
  readonly given: Annotations;
}

async function replace(
  parts: RenameParts,
  rename: FileRename & { readonly target: ProjectFileNode },
  { record, replaced, given }: Replacement,
): Promise<FileRecord> {
  const { tree, contents, asides } = parts;
  const inUse = replaced.content.handles.size > 0;
  const isOver = !inUse && !asides.keeps(rename.target);
  const atomic = isOver && (await tree.api.capabilities()).has('rename_overwrite');
  const by = { fileId: record.id, carried: given, keep: inUse };
  const old = { record: replaced.record, node: rename.target };
  const renamed = await givingAt(parts, rename, { record, given }, (put) => {
    const over = [old.record.id];
    if (atomic)
      return replacing(
        tree,
        over,
        () => putAt(parts, rename, { ...put, overwrite: true }),
        () => over,
      );
    return asides.replacing(old, by, () => putAt(parts, rename, { ...put, untilSent: undefined }));
  });
  await contents.unlinked(replaced.content, inUse ? () => asides.delete(old.record.id) : undefined);
  return renamed;
}

interface Put {
  readonly record: FileRecord;
  readonly given: Annotations;
  readonly overwrite?: boolean;
  /** Undefined: other calls went before, and it is to be made. */
  readonly untilSent?: AbortSignal | undefined;
}

/**
 * Within a folder what is given goes with the name. Into another folder it goes first: the move may not be undone by its
 * failure. So it does where pairs of our own have to give way to it.
 */
function givingAt(
  { tree }: RenameParts,
  { source, parent, untilSent }: FileRename,
  { record, given }: Put,
  put: (what: Put) => Promise<FileRecord>,
): Promise<FileRecord> {
  const isWithRoom = fits({ ...record.metadata, ...given.metadata });
  const isOneCall = isNothing(given) || (source.parent === parent && isWithRoom);
  if (isOneCall) return put({ record, given, untilSent });
  return giving(tree, { file: record, given, path: pathOf(source) }, () => put({ record, given: NOTHING }));
}

/** One call. */
async function putAt({ tree }: RenameParts, rename: FileRename, put: Put): Promise<FileRecord> {
  const { files } = tree.api;
  const { record, given, overwrite = false, untilSent } = put;
  const { source, parent } = rename;
  const name = nameOnPlatform(rename.name);
  const changes = isNothing(given)
    ? {}
    : { metadata: given.metadata, ...(given.tags && { tags: given.tags }) };
  return source.parent === parent
    ? files.edit(record.id, { name, ...changes }, { overwrite, untilSent })
    : files.move(record.id, { parent: folderIdOf(parent), name }, { overwrite, untilSent });
}
