/**
 * Handles a directory that the platform calls missing: another client moved or removed it, or the user may no longer see
 * it.
 *
 * For readdir(3) ENOENT is the end of a directory, so no program gets that: the failure is ESTALE. The name leaves the
 * tree at once. The folders above it are asked for at their next lookup, so that the path leads to the present entry. The
 * driver holds the same for every handle that reads (`staleForGone` in `src/fuse/reply-errno.ts`).
 *
 * The platform hides a project or volume from users who are no member: it answers them, too, that there is no such thing.
 * When it answers so for the project itself, the failure is EACCES, as where it says that the user has no right.
 */
import type { Api } from '../../api/api.ts';
import { messageOf } from '../../lib/message-of.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { errnoOf } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import { isMoving } from '../model/identity.ts';
import type { DirectoryNode, Node } from '../model/node.ts';
import { pathOf } from '../model/node.ts';
import type { Placement } from './placement.ts';

interface Parts {
  readonly api: Pick<Api, 'projects' | 'volumes'>;
  readonly placement: Placement;
  /** Called with the path that a directory had until now. */
  readonly onGone: (path: string, error: FsError) => void;
}

export class GoneDirectories {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Call before a question about `directory`; what is returned makes of the question's failure what the asker is told. */
  asking(directory: DirectoryNode): (error: unknown) => Promise<unknown> {
    const asked = idOf(directory);
    return async (error) => {
      if (!tellsGone(error)) return error;
      const hidden = await this.#hiddenAbove(directory);
      if (hidden !== undefined) return mayNotBeSeen(hidden);
      const gone = goneElsewhere(directory.name, messageOf(error));
      // Moved by this mount since the question was asked, or being moved: it is not where it was asked for.
      const isOurs = idOf(directory) !== asked || moveOver(directory) !== undefined;
      if (!isOurs && directory.parent) this.#lose(directory, gone);
      return gone;
    };
  }

  /** The project or volume that a directory is in, when the platform does not show it. */
  async #hiddenAbove(directory: DirectoryNode): Promise<string | undefined> {
    const { projects, volumes } = this.#parts.api;
    const options = { signal: NEVER_ABORTED };
    try {
      if (directory.kind === 'project-folder') await projects.get(directory.project.id, options);
      if (directory.kind === 'volume-directory') await volumes.get(directory.volume.id, options);
    } catch (error) {
      if (tellsGone(error)) return idOfTop(directory);
    }
    return undefined;
  }

  #lose(directory: DirectoryNode, error: FsError): void {
    const { placement, onGone } = this.#parts;
    onGone(pathOf(directory), error);
    const { parent } = directory;
    placement.lose(directory);
    for (let at = parent; at && at.kind !== 'virtual-directory'; at = at.parent)
      at.checkedMs = Number.NEGATIVE_INFINITY;
    if (parent?.kind === 'virtual-directory') parent.source.expire?.();
  }
}

function mayNotBeSeen(id: string): FsError {
  return new FsError(
    'EACCES',
    `${id} may no longer be seen: you are no member of it any more, or it was deleted`,
  );
}

export function goneElsewhere(name: string, reason: string): FsError {
  return new FsError('ESTALE', `${name} was moved or removed elsewhere, or may no longer be seen: ${reason}`);
}

/** When the move ends that this mount has asked for of a node, or of a folder above it; undefined: none is under way. */
export function moveOver(node: Node): Promise<void> | undefined {
  for (let at: Node | undefined = node; at; at = at.parent)
    if (isMoving(at) && at.kind === 'project-folder') return at.moving;
  return undefined;
}

function tellsGone(error: unknown): boolean {
  const errno = errnoOf(error);
  return errno === 'ENOENT' || errno === 'ENOTDIR';
}

/** The platform's id of the directory. */
function idOf(directory: DirectoryNode): string | undefined {
  return directory.kind === 'project-folder' ? directory.record?.id : undefined;
}

function idOfTop(directory: DirectoryNode): string | undefined {
  if (directory.kind === 'project-folder') return directory.project.id;
  return directory.kind === 'volume-directory' ? directory.volume.id : undefined;
}
