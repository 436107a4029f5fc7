/** Where each draft is to go, and whether it can get there: the decisions that come before any publication. */
import type { UploadTarget } from '../../content/ports.ts';
import { matcherOf } from '../../lib/match-names.ts';
import { FsError } from '../errors/fs-error.ts';
import { nameOnPlatform } from '../model/escape.ts';
import type { ContentNode, DraftMaker, FileContent } from '../model/file-content.ts';
import type {
  DirectoryNode,
  Node,
  ProjectFileNode,
  ProjectFolderNode,
  VolumeObjectNode,
} from '../model/node.ts';
import { folderIdOf, projectOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { mayReplace } from './conflicts.ts';
import { type Staging, stagingName } from './staging.ts';

const NO_STAGING =
  'the platform puts only exported project files on a volume: copy from a project, set a staging project, or give the mount ' +
  'the keys of the bucket (svcfs.conf(5), BUCKETS)';

export class Targets implements DraftMaker {
  readonly draft: DraftMaker['draft'];
  /** Whether a name in a project is one of a moment. */
  readonly isTemporaryInProject: (name: string) => boolean;
  readonly #tree: Tree;
  readonly #staging: Staging | undefined;
  /** Part of each name in the staging folder: the files that an ended mount left there have other names. */
  readonly #session: string;
  readonly #isTemporaryOnVolume: (name: string) => boolean;
  /** Files of projects that go up under the name they have, whatever that is. */
  readonly #overdue = new WeakSet<ContentNode>();

  constructor(tree: Tree, staging: Staging | undefined, session: string) {
    this.#tree = tree;
    this.#staging = staging;
    this.#session = session;
    this.#isTemporaryOnVolume = matcherOf(tree.options.temporaryNames);
    this.isTemporaryInProject = matcherOf(tree.options.temporaryInProjects);
    this.draft = (options) => tree.writer.draft(options);
  }

  targetOf(content: FileContent): UploadTarget {
    const { node } = content;
    if (node.kind === 'project-file') {
      const replaces = node.record?.id ?? content.replaces?.record.id;
      const overwrite = mayReplace(this.#tree, content);
      // A draft that has lost its name is not published: nothing is known of its folder any more.
      if (content.unlinked)
        return { parent: projectOf(node).rootFolder, name: platformNameOf(node), overwrite, replaces };
      const { parent, name } = destinationOf(content, node);
      return { parent: folderIdOf(parent), name, overwrite, replaces };
    }
    const replaces = content.replacesEtag ?? node.record?.etag;
    if (this.isDirect(node)) return this.#inBucket(content, node, replaces);
    const onward = { volume: node.volume.id, location: node.location, replaces };
    content.stagingName ??= stagingName(node.name, `${this.#session}-${node.id}`);
    // Without staging the draft only records its source; a byte written is refused before it gets there.
    const target = { parent: this.#staging?.folder ?? '', name: content.stagingName, overwrite: true };
    return this.isTemporary(node) ? target : { ...target, onward };
  }

  /**
   * The file stays on this machine until it is renamed: a volume could neither delete nor rename it, and in a project it is
   * uploaded once, as what it will be.
   */
  isTemporary(node: ContentNode): boolean {
    if (node.record || this.#overdue.has(node)) return false;
    if (node.kind === 'project-file') return this.isTemporaryInProject(node.name);
    if (!this.takesBytes(node)) return false;
    return this.#isTemporaryOnVolume(node.location.slice(node.location.lastIndexOf('/') + 1));
  }

  /** A file of a project is to be on the platform, though it has such a name. A volume keeps none. */
  isDue(node: ContentNode): void {
    if (node.kind === 'project-file') this.#overdue.add(node);
  }

  /** Whether programs can write to the node: to one on a volume only with a staging project, or keys of its bucket. */
  takesBytes(node: Node): boolean {
    const isOnVolume = node.kind === 'volume-object' || node.kind === 'volume-directory';
    return !isOnVolume || this.#staging !== undefined || this.isDirect(node);
  }

  /** A file on a volume is written in its bucket. */
  isDirect(node: Node): boolean {
    const isOnVolume = node.kind === 'volume-object' || node.kind === 'volume-directory';
    return isOnVolume && this.#tree.api.buckets.has(node.volume.id);
  }

  #inBucket(
    content: FileContent,
    { volume, location }: VolumeObjectNode,
    etag: string | undefined,
  ): UploadTarget {
    const { api, options } = this.#tree;
    const replaces = etag === undefined ? undefined : api.buckets.fileIdOf(volume.id, location, etag);
    return {
      parent: api.buckets.folderOf(volume.id),
      name: location,
      overwrite: mayReplace(this.#tree, content),
      replaces,
      onlyIfSame: options.conflict === 'fail',
    };
  }

  /** Throws for a file on a volume that takes none. */
  requireByteWrites(content: FileContent): void {
    if (this.takesBytes(content.node)) return;
    content.hopeless = true;
    throw new FsError('EROFS', NO_STAGING);
  }

  /** As `requireByteWrites`, of a directory that a file is to be made in. */
  requireByteWritesIn(directory: DirectoryNode): void {
    if (!this.takesBytes(directory)) throw new FsError('EROFS', NO_STAGING);
  }
}

/** Where the file of a project goes: where it is, or where a rename is about to bring it. */
export function destinationOf(
  { goesTo }: FileContent,
  node: ProjectFileNode,
): { readonly parent: ProjectFolderNode; readonly name: string } {
  if (goesTo) return { parent: goesTo.parent, name: nameOnPlatform(goesTo.name) };
  return { parent: parentOf(node), name: platformNameOf(node) };
}

function platformNameOf({ record, name }: ProjectFileNode): string {
  return record?.name ?? nameOnPlatform(name);
}

function parentOf(node: ProjectFileNode): ProjectFolderNode {
  if (node.parent?.kind === 'project-folder') return node.parent;
  throw new FsError('ESTALE', `${node.name} is no longer in a project`);
}
