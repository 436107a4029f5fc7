/**
 * The changing side of the file system, by nodes: `SvcFileSystem` turns the kernel's numbers into nodes, calls one of
 * these, and turns nodes into entries. Failures are thrown; recording and logging them is the caller's business.
 */
import type {
  AttributeChanges,
  Awaitable,
  FileHandle,
  OpenReply,
  ReadReply,
  RenameFlags,
  RequestContext,
} from '../file-system.ts';
import type { DirectoryNode, Node, ProjectFileNode, VolumeObjectNode } from './node.ts';

/** A node that open(2) opens for its bytes. */
export type FileNode = ProjectFileNode | VolumeObjectNode;

export interface Span {
  readonly handle: FileHandle;
  readonly offset: number;
}

/** Open files (`open/`). Handles are this side's own; those of directories are numbered apart. */
export interface OpenFiles {
  /** The node a handle was opened on; EBADF. */
  nodeOf(handle: FileHandle): FileNode;
  open(node: FileNode, flags: number, context: RequestContext): Awaitable<OpenReply>;
  create(
    place: { readonly parent: DirectoryNode; readonly name: string },
    how: { readonly mode: number; readonly flags: number },
    context: RequestContext,
  ): Awaitable<{ readonly node: Node; readonly open: OpenReply }>;
  read(span: Span, sizeBytes: number, context: RequestContext): Awaitable<ReadReply>;
  write(span: Span, data: Uint8Array, context: RequestContext): Awaitable<number>;
  flush(handle: FileHandle, context: RequestContext): Awaitable<void>;
  fsync(handle: FileHandle, dataOnly: boolean, context: RequestContext): Awaitable<void>;
  release(handle: FileHandle): Awaitable<void>;
  lseek(span: Span, whence: 'data' | 'hole', context: RequestContext): Awaitable<number>;
  fallocate(
    span: Span,
    how: { readonly mode: number; readonly length: number },
    context: RequestContext,
  ): Awaitable<void>;
  copyFileRange(
    from: Span,
    to: Span,
    how: { readonly length: number; readonly context: RequestContext },
  ): Awaitable<number>;
  /** SETATTR of a size, with a handle or without. */
  truncate(
    node: FileNode,
    sizeBytes: number,
    how: { readonly handle: FileHandle | undefined; readonly context: RequestContext },
  ): Awaitable<void>;
  /** Ends timers; waits for nothing. */
  close(): void;
}

export interface Place {
  readonly parent: DirectoryNode;
  readonly name: string;
}

/** Changes of the tree and of attributes (`change/`). A new entry is placed in the tree and answered. */
export interface Mutations {
  setattr(
    node: Node,
    changes: AttributeChanges,
    how: { readonly handle: FileHandle | undefined; readonly context: RequestContext },
  ): Awaitable<void>;
  mkdir(place: Place, mode: number, context: RequestContext): Awaitable<Node>;
  mknod(place: Place, mode: number, context: RequestContext): Awaitable<Node>;
  symlink(place: Place, target: string, context: RequestContext): Awaitable<Node>;
  link(node: Node, place: Place, context: RequestContext): Awaitable<Node>;
  readlink(node: Node, context: RequestContext): Awaitable<string>;
  unlink(place: Place, context: RequestContext): Awaitable<void>;
  rmdir(place: Place, context: RequestContext): Awaitable<void>;
  rename(
    from: Place,
    to: Place,
    how: { readonly flags: RenameFlags; readonly context: RequestContext },
  ): Awaitable<void>;
}
