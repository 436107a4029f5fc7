/**
 * SETATTR but for the size. The platform keeps no mode and no settable time: those of files are metadata pairs of our
 * own, those of folders local state, objects of volumes have none.
 */
import type { AttributeChanges } from '../file-system.ts';
import { FsError } from '../fs-error.ts';
import type { Node, ProjectFileNode, ProjectFolderNode } from '../node.ts';
import type { Contents } from '../open/contents.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';
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
  if (facts.mode === undefined && facts.mtimeMs === undefined) return;
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

function setOfFile({ contents, attributes }: Parts, node: ProjectFileNode, facts: Facts): void {
  const unpublished = contents.find(node)?.unpublished ?? 'none';
  node.mode = facts.mode ?? node.mode;
  if (facts.mtimeMs !== undefined && facts.isNow && unpublished !== 'none') {
    // `touch` of a new file: its publication dates it, and a request less does.
    node.writtenMs = facts.mtimeMs;
    node.mtimeMs = undefined;
  } else if (facts.mtimeMs !== undefined) {
    node.writtenMs = undefined;
    node.mtimeMs = facts.mtimeMs;
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
