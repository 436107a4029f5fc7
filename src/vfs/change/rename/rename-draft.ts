/**
 * A file that is not published yet gets another name in its project: it is published under that.
 *
 * What is open, or follows its close, completes later. The platform's file of the new name keeps it until then, for the draft
 * may never get there. What stayed here for its old name is published before the rename is done, which tells of a failure.
 */
import type { Annotations } from '../../../content/ports.ts';
import { annotationsFor, restoreAnnotations } from '../../attributes/annotations.ts';
import { errnoOf } from '../../errors/errno-of.ts';
import type { FileContent } from '../../model/file-content.ts';
import type { ProjectFileNode } from '../../model/node.ts';
import { requireCount } from '../../xattr/limits.ts';
import { askAgain } from '../aside/ask-again.ts';
import type { FileReplacement } from './file-rename.ts';
import { carriedOver, type Described, describedAs, isNothing, NOTHING } from './inherited.ts';

import type { RenameParts } from './rename-parts.ts';

/** The caller holds the locks of both contents, and those of their annotations. */
export async function renameDraft(parts: RenameParts, rename: FileReplacement): Promise<void> {
  const { source, parent, name, target, replaced } = rename;
  const { tree, contents } = parts;
  const content = contents.of(source);
  const before = target && contents.of(target);
  const from = { parent: source.parent, name: source.name };
  const isElsewhere = source.record !== undefined;
  const carried = target ? carriedToDraft(source, describedAs(target, replaced?.record)) : NOTHING;
  await leaveReplaced(parts, source, content);
  const isThere = isAwaited(parts, rename) && (await publishAt(parts, rename, carried));
  if (before?.node.draft && !isThere)
    await parts.draftAsides.passOn(before.node.draft.id, (await contents.draft(content)).id);
  if (before) await contents.unlinked(before, isThere ? before.whenClosed : undefined);
  if (isElsewhere) letGoOfRecord(source);
  if (!isThere) takeName(content, rename, carried);
  tree.moved(source, { parent, name });
  // A file that another client has put there stays.
  if (isElsewhere && from.parent) tree.invalidate(from.parent, from.name);
  // What it is to have is as safe as its name, which follows.
  if (!isThere) await contents.annotatePromised(source);
}

/** Whether the rename is to wait for the file to be on the platform: nothing else would tell of a failure. */
function isAwaited({ tree, contents }: RenameParts, { source, name, isOnlyHere }: FileReplacement): boolean {
  const { owed, writers, outstanding } = contents.of(source);
  const isClosed = isOnlyHere && writers === 0 && outstanding !== 'none';
  return isClosed && !contents.isTemporaryName(name) && !(tree.options.writeBack && owed);
}

/** Publishes it under its new name. When that fails, all is as it was. */
async function publishAt(
  { tree, contents }: RenameParts,
  rename: FileReplacement,
  carried: Annotations,
): Promise<true> {
  const { source, parent, name, target } = rename;
  const content = contents.of(source);
  const { exclusive, replaces, keepBecause } = content;
  const { pending } = source;
  takeName(content, rename, carried);
  content.goesTo = { parent, name, target };
  try {
    await contents.publishHolding(content);
    return true;
  } catch (error) {
    Object.assign(content, { exclusive, replaces, keepBecause, goesTo: undefined });
    source.pending = pending;
    await contents.retarget(content);
    await contents.annotatePromised(source);
    // Another client may have the name, of which nothing is known here.
    if (errnoOf(error) === 'ESTALE') askAgain(tree, parent, name);
    throw error;
  } finally {
    content.goesTo = undefined;
  }
}

/** It is to have the name, and what goes with that. */
function takeName(
  content: FileContent,
  { source, noReplace, replaced }: FileReplacement,
  carried: Annotations,
): void {
  content.exclusive = noReplace;
  content.replaces = replaced;
  if (isNothing(carried)) return;
  const { pending } = source;
  source.pending = {
    metadata: { ...carried.metadata, ...pending?.metadata },
    tags: pending?.tags ?? carried.tags,
  };
}

/** ENOSPC: its publication would be refused. */
function carriedToDraft(source: ProjectFileNode, from: Described): Annotations {
  const { metadata, tags = [] } = annotationsFor(source) ?? NOTHING;
  const carried = carriedOver(from, { metadata, tags });
  requireCount({ ...carried.metadata, ...metadata });
  return carried;
}

/** Another client has moved or replaced what the draft was begun from: it is a new file, with all that the old one had been given. */
function letGoOfRecord(node: ProjectFileNode): void {
  restoreAnnotations(node, annotationsFor(node));
  node.record = undefined;
}

/** A draft goes from a name that it was renamed over: what has that on the platform waits aside for its publication. */
async function leaveReplaced(
  { contents, draftAsides }: RenameParts,
  source: ProjectFileNode,
  content: FileContent,
): Promise<void> {
  const { replaces } = content;
  if (!replaces) return;
  const draft = await contents.draft(content);
  await draftAsides.setAside(draft.id, { file: replaces, node: source });
  content.replaces = undefined;
}
