/**
 * Changes of the tree. Each is done on the platform first and then told to the tree; what fails leaves both as they
 * were. A change that has begun is finished even when the program that asked is interrupted: it gets EINTR at once,
 * the kernel is told of the outcome, and a failure is recorded.
 */
import { constants } from 'node:fs';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { ClosedFiles } from '../closed/closed-files.ts';
import { isAbort } from '../errors/errno-of.ts';
import { FsError } from '../errors/fs-error.ts';
import type { AttributeChanges, FileHandle, RenameFlags, RequestContext } from '../file-system.ts';
import { isMoving } from '../model/identity.ts';
import type { Node } from '../model/node.ts';
import { isDirectory, pathOf } from '../model/node.ts';
import type { Mutations, OpenFiles, Place } from '../model/operations.ts';
import { newFile } from '../open/new-file.ts';
import { setAttributes } from './attributes/set-attributes.ts';
import { makeDirectory } from './make/make-directory.ts';
import { makeLink } from './make/make-link.ts';
import { makeSpecialFile } from './make/make-special-file.ts';
import { readLink } from './read-link.ts';
import { removeDirectory } from './remove/remove-directory.ts';
import { unlink } from './remove/unlink.ts';
import { rename } from './rename/rename.ts';
import type { RenameParts } from './rename/rename-parts.ts';

export interface MutationParts extends RenameParts {
  readonly openFiles: OpenFiles;
  readonly closedFiles: ClosedFiles;
}

export class PlatformMutations implements Mutations {
  readonly #parts: MutationParts;

  constructor(parts: MutationParts) {
    this.#parts = parts;
  }

  async setattr(
    node: Node,
    changes: AttributeChanges,
    how: { readonly handle: FileHandle | undefined; readonly context: RequestContext },
  ): Promise<void> {
    if (changes.sizeBytes !== undefined) {
      if (isDirectory(node)) throw new FsError('EISDIR', `${node.name} is a directory`);
      if (node.kind === 'special-file') throw new FsError('EINVAL', `${node.name} has no size`);
      await this.#parts.openFiles.truncate(node, changes.sizeBytes, how);
    }
    const { signal } = how.context;
    const work = setAttributes(this.#parts, node, changes, signal);
    try {
      await untilAborted(work, signal);
    } catch (error) {
      if (signal.aborted) this.#recordUnheard('setattr', pathOf(node), work);
      throw error;
    }
  }

  async mkdir(place: Place, mode: number, context: RequestContext): Promise<Node> {
    await this.#requireFree(place, context.signal);
    return this.#finish(
      'mkdir',
      [place],
      makeDirectory(this.#parts.tree, place, { mode, by: context }),
      context.signal,
    );
  }

  async mknod(place: Place, mode: number, context: RequestContext): Promise<Node> {
    const { tree, contents, closedFiles } = this.#parts;
    await this.#requireFree(place, context.signal);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG)
      return makeSpecialFile(tree, place, { mode, by: context });
    const wanted = { ...place, mode, by: context, exclusive: true, isWhole: true };
    const node = await newFile(tree, contents, wanted, context.signal);
    closedFiles.publishSoon(contents.of(node));
    return node;
  }

  async symlink(place: Place, target: string, context: RequestContext): Promise<Node> {
    await this.#requireFree(place, context.signal);
    return this.#finish(
      'symlink',
      [place],
      makeLink(this.#parts.tree, place, { target, by: context }),
      context.signal,
    );
  }

  link(node: Node): never {
    throw new FsError('EPERM', `the platform has no hard links: ${node.name} has one name`);
  }

  readlink(node: Node, context: RequestContext): Promise<string> {
    return readLink(this.#parts.tree, node, context.signal);
  }

  unlink(place: Place, context: RequestContext): Promise<void> {
    const { signal } = context;
    return this.#finish('unlink', [place], unlink(this.#parts, place, signal), signal);
  }

  rmdir(place: Place, context: RequestContext): Promise<void> {
    const { signal } = context;
    return this.#finish('rmdir', [place], removeDirectory(this.#parts.tree, place, signal), signal);
  }

  rename(
    from: Place,
    to: Place,
    how: { readonly flags: RenameFlags; readonly context: RequestContext },
  ): Promise<void> {
    const { signal } = how.context;
    const work = rename(this.#parts, { from, to, flags: how.flags }, signal);
    const over = new AbortController();
    return this.#finish('rename', [from, to], work, this.#limited(signal, over.signal)).finally(() =>
      over.abort(),
    );
  }

  async #requireFree({ parent, name }: Place, signal: AbortSignal): Promise<void> {
    if (await this.#parts.tree.childOf(parent, name, signal)) throw new FsError('EEXIST', `${name} exists`);
  }

  /** Waits for `work` while the caller does. */
  async #finish<T>(op: string, places: readonly Place[], work: Promise<T>, signal: AbortSignal): Promise<T> {
    try {
      return await untilAborted(work, signal);
    } catch (error) {
      if (signal.aborted) this.#goOnUnheard(op, places, work);
      else if (mayHaveChanged(error) && !places.some(isMovingAt))
        for (const place of places) this.#lookAgain(place);
      throw error;
    }
  }

  #goOnUnheard(op: string, places: readonly Place[], work: Promise<unknown>): void {
    const { tree } = this.#parts;
    work.then(
      () => {
        for (const { parent, name } of places) tree.kernel.invalidateEntry(parent.id, name);
      },
      () => undefined,
    );
    this.#recordUnheard(op, pathsOf(places), work);
  }

  #recordUnheard(op: string, path: string, work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!isAbort(error)) this.#parts.tree.recordError({ op, path }, error);
    });
  }

  /** It is not as we knew it, or as it was. */
  #lookAgain({ parent, name }: Place): void {
    const { tree } = this.#parts;
    tree.expire(parent);
    tree.kernel.invalidateEntry(parent.id, name);
  }

  /** A rename holds a lock of the kernel that all others need: `--rename-wait` says for how long. */
  #limited(signal: AbortSignal, over: AbortSignal): AbortSignal {
    const { options, clock } = this.#parts.tree;
    if (options.renameWaitMs === undefined) return signal;
    const late = new AbortController();
    const reason = new FsError('EINTR', 'the rename goes on: svcfs jobs list shows its job');
    clock.sleep(options.renameWaitMs, over).then(
      () => late.abort(reason),
      () => undefined,
    );
    return AbortSignal.any([signal, late.signal]);
  }
}

/** The platform refused, for what it has is not what we know; or it may have done what it was asked for. */
function mayHaveChanged(error: unknown): boolean {
  return error instanceof Error && ['ApiError', 'TransportError'].includes(error.name);
}

/** A folder whose move goes on: the tree is told of its end. */
function isMovingAt({ parent, name }: Place): boolean {
  const known = parent.children.get(name);
  return known?.kind === 'present' && isMoving(known.node);
}

function pathsOf(places: readonly Place[]): string {
  return places.map(({ parent, name }) => `${pathOf(parent)}/${name}`).join(' -> ');
}
