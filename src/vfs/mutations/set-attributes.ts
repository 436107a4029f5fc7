/**
 * SETATTR but for the size. The platform keeps no mode and no settable time: those of files are metadata pairs of our
 * own, those of folders local state, objects of volumes have none.
 */
import { reservedPairs } from '../attributes/reserved-pairs.ts';
import type { AttributeChanges } from '../file-system.ts';
import { FsError } from '../fs-error.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../node.ts';
import { pairsToBe } from '../open/annotations.ts';
import type { Contents } from '../open/contents.ts';
import { localFacts } from '../open/local-facts.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';
import { requireCount } from '../xattr/limits.ts';
import type { AttributeWriter } from './attribute-writer.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly attributes: AttributeWriter;
}

const PERMISSION_BITS = 0o7777;
const SUID_SGID_BITS = 0o6000;

export function setAttributes(parts: Parts, node: Node, changes: AttributeChanges): void {
  const { tree, contents } = parts;
  requireOwnersKept(tree, changes);
  const facts = factsOf(tree, node, changes);
  if (facts.mode === undefined && facts.mtimeMs === undefined) {
    writeAgain(parts, node);
    return;
  }
  requireWritable(tree, node);
  switch (node.kind) {
    case 'project-file':
      setOfFile(parts, node, facts);
      return;
    case 'project-folder':
      setOfFolder(tree, node, facts);
      return;
    case 'volume-object':
      if (contents.isTemporary(node)) {
        node.mode = facts.mode ?? node.mode;
        node.writtenMs = facts.mtimeMs ?? node.writtenMs;
        return;
      }
      // `touch` of a file being written: its time is that of writing anyway.
      if (facts.mode === undefined && changes.mtimeMs === 'now' && !node.record) return;
      throw new FsError('EPERM', 'a volume keeps no mode and no settable time for its objects');
    case 'volume-directory':
    case 'virtual-directory':
    case 'virtual-file':
      throw new FsError('EPERM', `${node.name || 'the top of the mount'} has no settable mode or time`);
    default:
      node satisfies never;
  }
}

interface Facts {
  readonly mode: number | undefined;
  readonly mtimeMs: number | undefined;
  readonly isNow: boolean;
}

/** What is really to change: programs set what they find, and a request is not for that. */
function factsOf(tree: Tree, node: Node, changes: AttributeChanges): Facts {
  const { attributes } = tree.attributesOf(node);
  const asked = changes.mode ?? attributes.mode;
  const mode = (changes.killSuidgid ? asked & ~SUID_SGID_BITS : asked) & PERMISSION_BITS;
  const { mtimeMs } = changes;
  const time = mtimeMs === 'now' ? tree.clock.now() : mtimeMs;
  return {
    mode: mode === (attributes.mode & PERMISSION_BITS) ? undefined : mode,
    mtimeMs: time === undefined || Math.trunc(time) === Math.trunc(attributes.mtimeMs) ? undefined : time,
    isNow: mtimeMs === 'now',
  };
}

function requireOwnersKept(tree: Tree, { uid, gid }: AttributeChanges): void {
  const { options } = tree;
  if ((uid ?? options.uid) !== options.uid || (gid ?? options.gid) !== options.gid)
    throw new FsError('EPERM', 'the platform has no owners: everything belongs to the user who mounted');
}

/** What is asked for is what the file shows, but that may not have been written: the platform could not be asked then. */
function writeAgain({ contents, attributes }: Parts, node: Node): void {
  if (node.kind !== 'project-file' || Object.keys(localFacts(node)).length === 0) return;
  if ((contents.find(node)?.unpublished ?? 'none') === 'none') attributes.writeLater(node);
}

function setOfFile({ contents, attributes }: Parts, node: ProjectFileNode, facts: Facts): void {
  const unpublished = contents.find(node)?.unpublished ?? 'none';
  const { mode = node.mode, mtimeMs } = facts;
  // `touch` of a new file: its publication dates it, and a request less does.
  const isDatedAnyway = facts.isNow && unpublished !== 'none';
  const sent = localFacts({ mode, mtimeMs: isDatedAnyway ? undefined : mtimeMs });
  requireCount({ ...pairsToBe(node), ...reservedPairs(sent) });
  node.mode = mode;
  if (mtimeMs !== undefined) {
    node.writtenMs = isDatedAnyway ? mtimeMs : undefined;
    node.mtimeMs = isDatedAnyway ? undefined : mtimeMs;
  }
  if (unpublished === 'none') attributes.writeLater(node);
}

function setOfFolder(tree: Tree, node: ProjectFolderNode, facts: Facts): void {
  node.mode = facts.mode ?? node.mode;
  node.mtimeMs = facts.mtimeMs ?? node.mtimeMs;
  if (!node.record) return;
  tree.folderState.set(node.record.id, {
    ...(facts.mode !== undefined && { mode: facts.mode }),
    ...(facts.mtimeMs !== undefined && { mtimeMs: facts.mtimeMs }),
  });
}
