/**
 * Passthrough: the kernel reads a file itself, from a whole and checked copy on this machine, and asks us for none of its
 * bytes. For mounts that nothing can be written through.
 *
 * The kernel wants one answer for all who have a node open at once: all of them with the same backing file, or none. So
 * it is decided by the first to open, the others wait for that, and it counts until the last has let go.
 */
import type { LocalCopies, LocalCopy } from '../content/local-copies.ts';
import type { ContentVersion } from '../content/ports.ts';
import type { Logger } from '../observe/logger.ts';
import type {
  BackingFiles,
  FileHandle,
  FileSystem,
  NodeId,
  OpenReply,
  RequestContext,
} from './file-system.ts';

export interface PassThroughParts {
  readonly copies: LocalCopies;
  /** The version of a node's content that the platform has; undefined: not a file with content. */
  readonly versionOf: (node: NodeId) => ContentVersion | undefined;
  readonly log: Pick<Logger, 'info'>;
}

/** A node while it is open. */
interface OpenNode {
  readonly id: NodeId;
  opens: number;
  decision: Promise<Backed | undefined> | undefined;
}

interface Backed {
  readonly copy: LocalCopy;
  readonly backing: number;
}

/** The same file system (a plain object), whose files are passed through where that is possible. */
export function passThrough(fileSystem: FileSystem, parts: PassThroughParts): FileSystem {
  const backed = new BackedNodes(parts);
  return {
    ...fileSystem,
    attach: (caches, backings) => {
      backed.attach(backings);
      fileSystem.attach(caches);
    },
    open: (node, flags, context) =>
      backed.open(node, async () => fileSystem.open(node, flags, context), context),
    release: (handle) => {
      backed.release(handle);
      return fileSystem.release(handle);
    },
  };
}

class BackedNodes {
  readonly #parts: PassThroughParts;
  readonly #nodes = new Map<NodeId, OpenNode>();
  readonly #handles = new Map<FileHandle, OpenNode>();
  #backings: BackingFiles | undefined;
  #refused = false;

  constructor(parts: PassThroughParts) {
    this.#parts = parts;
  }

  attach(backings: BackingFiles | undefined): void {
    this.#backings = backings;
  }

  async open(id: NodeId, open: () => Promise<OpenReply>, context: RequestContext): Promise<OpenReply> {
    const node = this.#enter(id);
    try {
      const reply = await open();
      this.#handles.set(reply.handle, node);
      node.decision ??= this.#decide(id, context.signal);
      const decided = await node.decision;
      return decided === undefined ? reply : { ...reply, backing: decided.backing };
    } catch (error) {
      this.#leave(node);
      throw error;
    }
  }

  release(handle: FileHandle): void {
    const node = this.#handles.get(handle);
    if (node === undefined) return;
    this.#handles.delete(handle);
    this.#leave(node);
  }

  #enter(id: NodeId): OpenNode {
    const node = this.#nodes.get(id) ?? { id, opens: 0, decision: undefined };
    this.#nodes.set(id, node);
    node.opens += 1;
    return node;
  }

  #leave(node: OpenNode): void {
    node.opens -= 1;
    if (node.opens > 0) return;
    this.#nodes.delete(node.id);
    void node.decision?.then((decided) => {
      if (decided === undefined) return;
      this.#backings?.close(decided.backing);
      decided.copy.release();
    });
  }

  /** Never rejects: a file that cannot be passed through is read as ever. */
  async #decide(id: NodeId, signal: AbortSignal): Promise<Backed | undefined> {
    const backings = this.#backings;
    if (backings === undefined || this.#refused) return undefined;
    const copy = await this.#copyOf(id, signal).catch(() => undefined);
    if (copy === undefined) return undefined;
    try {
      return { copy, backing: backings.open(copy.descriptor) };
    } catch (error) {
      copy.release();
      this.#giveUp(error);
      return undefined;
    }
  }

  /** Rejects, too, where nobody tells what the content is. */
  async #copyOf(id: NodeId, signal: AbortSignal): Promise<LocalCopy | undefined> {
    const { copies, versionOf } = this.#parts;
    const version = versionOf(id);
    return version && copies.of(version, signal);
  }

  /** A refusal is for good: it is about a privilege, the kernel, or the file system of the cache. */
  #giveUp(error: unknown): void {
    this.#refused = true;
    this.#parts.log.info({ err: error }, 'cached files are not passed through to the kernel');
  }
}
