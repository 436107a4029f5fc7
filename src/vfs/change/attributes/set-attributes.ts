/**
 * SETATTR but for the size. The platform keeps no mode and no settable time: those of files are metadata pairs of our
 * own, those of folders local state, objects of volumes have none (`unkept.ts`).
 */
import { constants } from 'node:fs';
import { nanosecondsOf } from '../../../lib/nanoseconds.ts';
import { localFacts, showFacts } from '../../attributes/local-facts.ts';
import { readReservedPairs } from '../../attributes/reserved-pairs.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { AttributeChanges, Attributes } from '../../file-system.ts';
import { folderKey } from '../../model/folder-state.ts';
import type {
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  SpecialFileNode,
  VolumeObjectNode,
} from '../../model/node.ts';
import type { Tree } from '../../model/tree.ts';
import { requireWritable } from '../../model/write-access.ts';
import type { Contents } from '../../open/contents.ts';
import type { AttributeWriter } from './attribute-writer.ts';
import { type SettableFacts, withoutUnkept } from './unkept.ts';

interface Parts {
  readonly tree: Tree;
  readonly contents: Contents;
  readonly attributes: AttributeWriter;
}

const PERMISSION_BITS = 0o7777;
const { S_IFDIR, S_IFMT, S_IXGRP } = constants;
const S_ISUID = 0o4000;
const S_ISGID = 0o2000;

/** @param untilSent Withdraws what the platform was not asked for yet */
export async function setAttributes(
  parts: Parts,
  node: Node,
  changes: AttributeChanges,
  untilSent?: AbortSignal,
): Promise<void> {
  const { tree } = parts;
  const facts = factsOf(tree, node, changes);
  if (!isNothing(facts)) await setFacts(parts, node, facts, untilSent);
  if (changes.atimeNs !== undefined) node.atimeNs = timeOf(tree, changes.atimeNs);
  if (node.kind !== 'volume-directory' && !isPublishedObject(node)) node.changedMs = tree.clock.now();
}

/** Nothing that is set on it is kept. */
function isPublishedObject(node: Node): boolean {
  return node.kind === 'volume-object' && node.record !== undefined;
}

async function setFacts(
  parts: Parts,
  node: Node,
  facts: Facts,
  untilSent: AbortSignal | undefined,
): Promise<void> {
  const { tree, contents } = parts;
  requireWritable(tree, node);
  switch (node.kind) {
    case 'project-file':
      return setOfFile(parts, node, withoutUnkept(tree, node, facts), untilSent);
    case 'project-folder':
      setOfFolder(tree, node, withoutUnkept(tree, node, facts));
      return;
    case 'volume-object':
      if (contents.isTemporary(node)) setOfTemporary(tree, node, facts);
      // `touch` of a file being written: its time is that of writing anyway.
      else if (!isDatedAnyway(node, facts)) withoutUnkept(tree, node, facts);
      return;
    case 'special-file':
      setOfSpecial(tree, node, facts);
      return;
    case 'volume-directory':
      withoutUnkept(tree, node, facts);
      return;
    case 'virtual-directory':
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

/** The facts that really change: programs also set the values they find, and those need no request. */
function factsOf(tree: Tree, node: Node, changes: AttributeChanges): Facts {
  const { attributes } = tree.attributesOf(node);
  // A shown value may be on its way to the platform: a caller that sets the same value waits for that request, too.
  const unsent = node.kind === 'project-file' ? localFacts(node) : {};
  const asked = changes.mode ?? attributes.mode;
  const isGivenAway = changes.mode === undefined && isOtherOwner(attributes, changes);
  const kills = changes.killSuidgid === true || isGivenAway;
  const isDirectory = (attributes.mode & S_IFMT) === S_IFDIR;
  const mode = (kills && !isDirectory ? withoutSetIds(asked) : asked) & PERMISSION_BITS;
  const isModeThere = mode === (attributes.mode & PERMISSION_BITS);
  const isModeUnsent = changes.mode !== undefined && unsent.mode === mode;
  const { mtimeNs, uid = attributes.uid, gid = attributes.gid } = changes;
  const time = mtimeNs === undefined ? undefined : timeOf(tree, mtimeNs);
  const isOwnerThere = uid === attributes.uid && gid === attributes.gid;
  const isOwnerUnsent = (changes.uid ?? changes.gid) !== undefined && unsent.owner !== undefined;
  return {
    mode: isModeThere && !isModeUnsent && !isMadeOnly(node, changes) ? undefined : mode,
    mtimeNs: time === attributes.mtimeNs && unsent.mtimeNs !== time ? undefined : time,
    owner: isOwnerThere && !isOwnerUnsent ? undefined : { uid, gid },
    isNow: mtimeNs === 'now',
  };
}

/** Somebody sets the mode that a file was made with: it is to be kept from then on, and no pair keeps it yet. */
function isMadeOnly(node: Node, { mode }: AttributeChanges): boolean {
  if (mode === undefined || node.kind !== 'project-file' || node.madeMode === undefined) return false;
  return node.mode === undefined && readReservedPairs(node.record?.metadata ?? {}).mode === undefined;
}

function isOtherOwner(shown: Attributes, { uid = shown.uid, gid = shown.gid }: AttributeChanges): boolean {
  return uid !== shown.uid || gid !== shown.gid;
}

/** As Linux does for all but directories: a set-group-ID bit without that of execution has another meaning, and stays. */
function withoutSetIds(mode: number): number {
  const runsAsGroup = (mode & S_IXGRP) !== 0;
  return mode & ~(runsAsGroup ? S_ISUID | S_ISGID : S_ISUID);
}

function timeOf(tree: Tree, time: bigint | 'now'): bigint {
  return time === 'now' ? nanosecondsOf(tree.clock.now()) : time;
}

function isDatedAnyway({ record }: VolumeObjectNode, { mode, owner, isNow }: Facts): boolean {
  return mode === undefined && owner === undefined && isNow && !record;
}

/** It is a file of this machine: it has a mode and a time for as long as it stays one. */
function setOfTemporary(tree: Tree, node: VolumeObjectNode, { mode, mtimeNs, owner }: Facts): void {
  const kept = withoutUnkept(tree, node, { owner, mode: undefined, mtimeNs: undefined });
  node.owner = kept.owner ?? node.owner;
  node.mode = mode ?? node.mode;
  node.mtimeNs = mtimeNs ?? node.mtimeNs;
}

function setOfSpecial(tree: Tree, node: SpecialFileNode, facts: Facts): void {
  const { mode, mtimeNs, owner } = withoutUnkept(tree, node, facts);
  node.owner = owner ?? node.owner;
  node.mode = mode ?? node.mode;
  node.mtimeNs = mtimeNs ?? node.mtimeNs;
}

/** A file that is being written has them with its next content; any other has them on the platform when this returns. */
async function setOfFile(
  { tree, contents, attributes }: Parts,
  node: ProjectFileNode,
  facts: Facts,
  untilSent: AbortSignal | undefined,
): Promise<void> {
  if (isNothing(facts)) return;
  const content = contents.find(node);
  const isBeingWritten = (content?.unpublished ?? 'none') !== 'none';
  // `touch` of a new file: its publication dates it, and a request less does.
  const isDatedAnyway = facts.isNow && isBeingWritten;
  if (isDatedAnyway) {
    node.writtenMs = tree.clock.now();
    node.mtimeNs = undefined;
  }
  const mode = isUsualAgain(tree, node, facts) ? undefined : facts.mode;
  if (mode !== facts.mode) node.madeMode = undefined;
  const kept = localFacts({ ...facts, mode, mtimeNs: isDatedAnyway ? undefined : facts.mtimeNs });
  const isPromised = content?.promised === true;
  if (!isBeingWritten && !isPromised) return attributes.set(node, kept, untilSent);
  showFacts(node, kept);
  const isJournaled = await contents.annotatePromised(node);
  if (isBeingWritten) return;
  // An upload that is on its way may be too far to take them along.
  if (isJournaled) attributes.writeUnheard(node);
  else await attributes.write(node);
}

/** It was made with another mode than the usual one, of which no pair tells: none need take that back. */
function isUsualAgain({ options }: Tree, node: ProjectFileNode, { mode }: Facts): boolean {
  const isToldOf =
    node.mode !== undefined || readReservedPairs(node.record?.metadata ?? {}).mode !== undefined;
  return node.madeMode !== undefined && !isToldOf && mode === (0o666 & ~options.umask);
}

function setOfFolder(tree: Tree, node: ProjectFolderNode, facts: Facts): void {
  if (isNothing(facts)) return;
  node.mode = facts.mode ?? node.mode;
  node.mtimeNs = facts.mtimeNs ?? node.mtimeNs;
  node.owner = facts.owner ?? node.owner;
  tree.folderState.set(folderKey(node), {
    ...(facts.mode !== undefined && { mode: facts.mode }),
    ...(facts.mtimeNs !== undefined && { mtimeNs: facts.mtimeNs }),
    ...(facts.owner !== undefined && { owner: facts.owner }),
  });
}
