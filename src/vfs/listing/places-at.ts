import { basename, dirname } from 'node:path/posix';
import type { FileRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { Details } from '../directories/details.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import { folderNameOnPlatform, nameOnPlatform } from '../model/escape.ts';
import { folderIdOf, type Node, type ProjectFolderNode } from '../model/node.ts';
import { nodeAt } from '../model/node-at.ts';
import type { Tree } from '../model/tree.ts';

export interface PlatformFolder {
  readonly kind: 'folder';
  /** `owner/short-name` */
  readonly project: string;
  /** From the root folder of the project down, as the platform has them. */
  readonly names: readonly string[];
  readonly id: string;
  /** Id of the folder that it is in; undefined for a project's root folder. */
  readonly parent: string | undefined;
}

export interface PlatformPrefix {
  readonly kind: 'prefix';
  /** `owner/name` */
  readonly volume: string;
  readonly prefix: string;
}

/** Where the platform has what is at a path of the mount. */
export type PlatformPlace =
  | PlatformFolder
  | PlatformPrefix
  /** As this mount knows it. */
  | (Pick<PlatformFolder, 'project' | 'names'> & { readonly kind: 'file'; readonly file: FileRecord })
  | {
      readonly kind: 'object';
      readonly volume: string;
      readonly location: string;
      readonly record?: VolumeObjectRecord | undefined;
    }
  /** Nothing is there, but in a directory there can be. `folderName`: the name that a folder gets. */
  | {
      readonly kind: 'free';
      readonly directory: PlatformFolder | PlatformPrefix;
      readonly name: string;
      readonly folderName: string;
    }
  /** There is no such directory either. */
  | { readonly kind: 'missing' };

interface Parts {
  readonly tree: Tree;
  readonly details: Details;
}

/** The place on the platform of a path from the top of the mount. */
export async function placeAt(parts: Parts, path: string, signal: AbortSignal): Promise<PlatformPlace> {
  try {
    return await placeOf(parts, await nodeAt(parts.tree, path, signal), signal);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    const above = await nodeAt(parts.tree, dirname(path), signal).catch(missing);
    const directory = above && (await placeOf(parts, above, signal));
    if (directory?.kind !== 'folder' && directory?.kind !== 'prefix') return { kind: 'missing' };
    const name = basename(path);
    return {
      kind: 'free',
      directory,
      name: nameOnPlatform(name),
      folderName: directory.kind === 'folder' ? folderNameOnPlatform(name) : nameOnPlatform(name),
    };
  }
}

async function placeOf(
  { details }: Parts,
  node: Node,
  signal: AbortSignal,
): Promise<Exclude<PlatformPlace, { readonly kind: 'free' | 'missing' }>> {
  switch (node.kind) {
    case 'project-file': {
      if (!node.record) throw new FsError('EAGAIN', 'the file is not on the platform yet');
      const { record } = node;
      return {
        kind: 'file',
        project: node.project.id,
        names: [...namesAbove(node), record.name],
        file: record,
      };
    }
    case 'project-folder':
      await details.project(node.project, signal);
      return folderPlace(node);
    case 'volume-directory':
      return { kind: 'prefix', volume: node.volume.id, prefix: node.prefix };
    case 'volume-object':
      return { kind: 'object', volume: node.volume.id, location: node.location, record: node.record };
    default:
      throw new FsError('EOPNOTSUPP', 'no file or folder of a project or volume');
  }
}

function missing(error: unknown): undefined {
  if (errnoOf(error) === 'ENOENT') return undefined;
  throw error;
}

/** Of a folder of a project that was looked into. */
export function folderPlace(node: ProjectFolderNode): PlatformFolder {
  return {
    kind: 'folder',
    project: node.project.id,
    names: namesOf(node),
    id: folderIdOf(node),
    parent: parentIdOf(node),
  };
}

function namesAbove({ parent }: Node): readonly string[] {
  return parent?.kind === 'project-folder' ? namesOf(parent) : [];
}

/** None of the project's own directory. */
function namesOf(folder: ProjectFolderNode): readonly string[] {
  return folder.record ? [...namesAbove(folder), folder.record.name] : [];
}

function parentIdOf({ parent }: ProjectFolderNode): string | undefined {
  return parent?.kind === 'project-folder' ? folderIdOf(parent) : undefined;
}
