/**
 * stat(2) of a node, from known facts: no request is made here.
 *
 * The mounting user owns everything, unless owners are kept, and no other user may read `.svcfs/`. Permissions are 0666
 * and 0777 less the umask, or those that chmod(1) set. They lack the write bits where the platform would refuse a write
 * anyway, so that the kernel refuses it without asking us. Directories have one link: nobody counts their subdirectories.
 * A file that is open without a name has none.
 */
import { TARGET_IS_CONTENT } from '../../jobs/symbolic-link.ts';
import { latest, nanosecondsOf } from '../../lib/nanoseconds.ts';
import type { Attributes } from '../file-system.ts';
import {
  type DirectoryNode,
  isLink,
  type LinkNode,
  type Node,
  type Owner,
  type ProjectFileNode,
  type ProjectFolderNode,
  type SpecialFileNode,
  sizeOf,
  type VolumeObjectNode,
} from '../model/node.ts';
import type { TreeOptions } from '../model/tree.ts';
import { isFixedAlias } from '../model/write-access.ts';
import { isAhead } from './annotations.ts';
import { readReservedPairs } from './reserved-pairs.ts';

export const S_IFREG = 0o100_000;
export const S_IFDIR = 0o040_000;
export const S_IFLNK = 0o120_000;
export const S_IFIFO = 0o010_000;
export const S_IFSOCK = 0o140_000;
const SPECIAL_TYPES = { pipe: S_IFIFO, socket: S_IFSOCK };
const WRITE_BITS = 0o222;

export interface AttributesContext {
  readonly options: Pick<
    TreeOptions,
    'readOnly' | 'uid' | 'gid' | 'umask' | 'mounter' | 'owner' | 'aliasWrite'
  >;
  /** For what has no time of its own. */
  readonly mountedMs: number;
}

export function attributesOf(node: Node, context: AttributesContext): Attributes {
  const { options, mountedMs } = context;
  const facts = factsOf(node);
  const permissions =
    (facts.permissions ?? (facts.type === S_IFDIR ? 0o777 : 0o666) & ~options.umask) & 0o7777;
  const writable = facts.writable && !options.readOnly && !isFixedAlias(options, node);
  const { uid, gid } = ownerOf(node, options);
  const mtimeNs = node.mtimeNs ?? facts.mtimeNs ?? nanosecondsOf(mountedMs);
  return {
    ino: node.ino,
    mode: facts.type | (writable || facts.type === S_IFLNK ? permissions : permissions & ~WRITE_BITS),
    nlink: facts.type === S_IFDIR || node.parent ? 1 : 0,
    uid,
    gid,
    sizeBytes: facts.sizeBytes,
    atimeNs: node.atimeNs ?? mtimeNs,
    mtimeNs,
    ctimeNs: latest(facts.ctimeNs ?? mtimeNs, inNanoseconds(node.changedMs)) ?? mtimeNs,
  };
}

function ownerOf(node: Node, options: AttributesContext['options']): Owner {
  if (isPrivate(node)) return options.mounter;
  if (options.owner === 'mounter' || isOnVolume(node)) return options;
  const kept = node.kind === 'project-file' && node.record ? readReservedPairs(node.record.metadata) : {};
  return node.owner ?? kept.owner ?? options;
}

/** It has no owner there; what exists only in this mount has one. */
function isOnVolume(node: Node): boolean {
  if (node.kind === 'volume-object') return node.record !== undefined;
  return node.kind === 'volume-directory' && !node.local;
}

/** Of the user who mounted alone, even if others may enter the mount (`--allow-other`). */
function isPrivate(node: Node): boolean {
  return node.kind === 'virtual-directory' && node.source.isPrivate === true;
}

export function fileTypeOf(node: Node): number {
  if (isLink(node)) return S_IFLNK;
  if (node.kind === 'special-file') return SPECIAL_TYPES[node.type];
  return node.kind === 'project-file' || node.kind === 'volume-object' ? S_IFREG : S_IFDIR;
}

interface Facts {
  readonly type: number;
  readonly sizeBytes: number;
  /** Undefined: the usual ones. */
  readonly permissions?: number | undefined;
  readonly writable: boolean;
  readonly mtimeNs?: bigint | undefined;
  readonly ctimeNs?: bigint | undefined;
}

function factsOf(node: Node): Facts {
  switch (node.kind) {
    case 'project-file':
      return fileFacts(node);
    case 'volume-object':
      return objectFacts(node);
    case 'special-file':
      return specialFacts(node);
    case 'project-folder':
    case 'volume-directory':
    case 'virtual-directory':
      return { type: S_IFDIR, sizeBytes: 0, ...directoryFacts(node) };
    default:
      return node satisfies never;
  }
}

function fileFacts(node: ProjectFileNode): Facts {
  const { record } = node;
  const kept = record ? readReservedPairs(record.metadata) : {};
  // The record's time is that of the old content. Otherwise a program set the time since, here or through another client.
  const setNs = isAhead(node) ? undefined : kept.mtimeNs;
  const writtenNs = inNanoseconds(node.writtenMs);
  return {
    ...(isLink(node)
      ? { type: S_IFLNK, permissions: 0o777, sizeBytes: linkSize(node) }
      : {
          type: S_IFREG,
          permissions: node.mode ?? kept.mode ?? node.madeMode,
          sizeBytes: sizeOf(node) ?? 0,
        }),
    writable: node.project.record?.permissions.write ?? true,
    mtimeNs: setNs ?? writtenNs ?? inNanoseconds(record?.modifiedMs),
    ctimeNs: writtenNs ?? inNanoseconds(record?.modifiedMs),
  };
}

/** Of its target. */
function linkSize({ link, record }: LinkNode): number {
  return link === TARGET_IS_CONTENT ? record.sizeBytes : Buffer.byteLength(link);
}

function objectFacts(node: VolumeObjectNode): Facts {
  const { record } = node;
  return {
    type: S_IFREG,
    sizeBytes: sizeOf(node) ?? 0,
    permissions: node.mode,
    writable: node.volume.record ? node.volume.record.accessMode === 'RW' : true,
    mtimeNs: inNanoseconds(node.writtenMs ?? record?.modifiedMs),
  };
}

function specialFacts({ type, mode, madeMs }: SpecialFileNode): Facts {
  const madeNs = nanosecondsOf(madeMs);
  const facts = { type: SPECIAL_TYPES[type], sizeBytes: 0, permissions: mode };
  return { ...facts, writable: true, mtimeNs: madeNs, ctimeNs: madeNs };
}

function directoryFacts(node: DirectoryNode): Omit<Facts, 'type' | 'sizeBytes'> {
  switch (node.kind) {
    case 'project-folder':
      return folderFacts(node);
    case 'volume-directory':
      return {
        writable: node.volume.record ? node.volume.record.accessMode === 'RW' : true,
        mtimeNs: node.prefix === '' ? inNanoseconds(node.volume.record?.modifiedMs) : undefined,
      };
    case 'virtual-directory':
      return { writable: true, permissions: isPrivate(node) ? 0o700 : undefined };
    default:
      return node satisfies never;
  }
}

function folderFacts(node: ProjectFolderNode): Omit<Facts, 'type' | 'sizeBytes'> {
  const dated = node.record ?? node.project.record;
  const datedNs = inNanoseconds(dated?.modifiedMs ?? dated?.createdMs);
  return {
    permissions: node.mode,
    writable: node.project.record?.permissions.write ?? true,
    mtimeNs: datedNs,
    ctimeNs: datedNs,
  };
}

function inNanoseconds(ms: number | undefined): bigint | undefined {
  return ms === undefined ? undefined : nanosecondsOf(ms);
}
