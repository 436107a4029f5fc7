/**
 * SETATTR but for the size. The platform keeps no mode and no settable time: those of files are metadata pairs of our
 * own, those of folders local state, objects of volumes have none (`unkept.ts`).
 */
import { millisecondsOf, nanosecondsOf } from '../../lib/nanoseconds.ts';
import { reservedPairs } from '../attributes/reserved-pairs.ts';
import type { AttributeChanges } from '../file-system.ts';
import { FsError } from '../fs-error.ts';
import type { Node, ProjectFileNode, ProjectFolderNode, VolumeObjectNode } from '../node.ts';
import { pairsToBe } from '../open/annotations.ts';
import type { Contents } from '../open/contents.ts';
import { localFacts } from '../open/local-facts.ts';
import type { Tree } from '../tree.ts';
import { requireWritable } from '../write-access.ts';
import { requireCount } from '../xattr/limits.ts';
import type { AttributeWriter } from './attribute-writer.ts';
import { type SettableFacts, withoutUnkept } from './unkept.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly attributes: AttributeWriter;
}

const PERMISSION_BITS = 0o7777;
const SUID_SGID_BITS = 0o6000;

export function setAttributes(parts: Parts, node: Node, changes: AttributeChanges): void {
  const { tree } = parts;
  const facts = factsOf(tree, node, changes);
  if (isNothing(facts)) writeAgain(parts, node);
  else setFacts(parts, node, facts);
  if (changes.atimeNs !== undefined) node.atimeNs = timeOf(tree, changes.atimeNs);
  if (node.kind !== 'volume-directory' && !isPublishedObject(node)) node.changedMs = tree.clock.now();
}

/** Nothing that is set on it is kept. */
function isPublishedObject(node: Node): boolean {
  return node.kind === 'volume-object' && node.record !== undefined;
}

function setFacts(parts: Parts, node: Node, facts: Facts): void {
  const { tree, contents } = parts;
  requireWritable(tree, node);
  switch (node.kind) {
    case 'project-file':
      setOfFile(parts, node, withoutUnkept(tree, node, facts));
      return;
    case 'project-folder':
      setOfFolder(tree, node, withoutUnkept(tree, node, facts));
      return;
    case 'volume-object':
      if (contents.isTemporary(node)) setOfTemporary(tree, node, facts);
      // `touch` of a file being written: its time is that of writing anyway.
      else if (!isDatedAnyway(node, facts)) withoutUnkept(tree, node, facts);
      return;
    case 'volume-directory':
      withoutUnkept(tree, node, facts);
      return;
    case 'virtual-directory':
    case 'virtual-file':
      throw new FsError('EPERM', `${node.name || 'the top of the mount'} has no settable mode or time`);
    default:
      node satisfies never;
  }
}

interface Facts extends SettableFacts {
  readonly isNow: boolean;
}

function isNothing({ mode, mtimeNs, owner }: Facts): boolean {
  return mode === undefined && mtimeNs === undefined && owner === undefined;
}

/** What is really to change: programs set what they find, and a request is not for that. */
function factsOf(tree: Tree, node: Node, changes: AttributeChanges): Facts {
  const { attributes } = tree.attributesOf(node);
  const asked = changes.mode ?? attributes.mode;
  const mode = (changes.killSuidgid ? asked & ~SUID_SGID_BITS : asked) & PERMISSION_BITS;
  const { mtimeNs, uid = attributes.uid, gid = attributes.gid } = changes;
  const time = mtimeNs === undefined ? undefined : timeOf(tree, mtimeNs);
  return {
    mode: mode === (attributes.mode & PERMISSION_BITS) ? undefined : mode,
    mtimeNs: time === attributes.mtimeNs ? undefined : time,
    owner: uid === attributes.uid && gid === attributes.gid ? undefined : { uid, gid },
    isNow: mtimeNs === 'now',
  };
}

function timeOf(tree: Tree, time: bigint | 'now'): bigint {
  return time === 'now' ? nanosecondsOf(tree.clock.now()) : time;
}

function isDatedAnyway({ record }: VolumeObjectNode, { mode, owner, isNow }: Facts): boolean {
  return mode === undefined && owner === undefined && isNow && !record;
}

/** It is a file of this machine: it has a mode and a time for as long as it stays one. */
function setOfTemporary(tree: Tree, node: VolumeObjectNode, { mode, mtimeNs, owner }: Facts): void {
  withoutUnkept(tree, node, { owner, mode: undefined, mtimeNs: undefined });
  node.mode = mode ?? node.mode;
  node.mtimeNs = mtimeNs ?? node.mtimeNs;
}

/** What is asked for is what the file shows, but that may not have been written: the platform could not be asked then. */
function writeAgain({ contents, attributes }: Parts, node: Node): void {
  if (node.kind !== 'project-file' || Object.keys(localFacts(node)).length === 0) return;
  if ((contents.find(node)?.unpublished ?? 'none') === 'none') attributes.writeLater(node);
}

function setOfFile({ contents, attributes }: Parts, node: ProjectFileNode, facts: Facts): void {
  if (isNothing(facts)) return;
  const unpublished = contents.find(node)?.unpublished ?? 'none';
  const { mode = node.mode, mtimeNs } = facts;
  // `touch` of a new file: its publication dates it, and a request less does.
  const isDatedAnyway = facts.isNow && unpublished !== 'none';
  const sent = localFacts({ mode, mtimeNs: isDatedAnyway ? undefined : mtimeNs });
  requireCount({ ...pairsToBe(node), ...reservedPairs(sent) });
  node.mode = mode;
  if (mtimeNs !== undefined) {
    node.writtenMs = isDatedAnyway ? millisecondsOf(mtimeNs) : undefined;
    node.mtimeNs = isDatedAnyway ? undefined : mtimeNs;
  }
  if (unpublished === 'none') attributes.writeLater(node);
}

function setOfFolder(tree: Tree, node: ProjectFolderNode, facts: Facts): void {
  if (isNothing(facts)) return;
  node.mode = facts.mode ?? node.mode;
  node.mtimeNs = facts.mtimeNs ?? node.mtimeNs;
  if (!node.record) return;
  tree.folderState.set(node.record.id, {
    ...(facts.mode !== undefined && { mode: facts.mode }),
    ...(facts.mtimeNs !== undefined && { mtimeNs: facts.mtimeNs }),
  });
}
