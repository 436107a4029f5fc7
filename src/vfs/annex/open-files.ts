/** Open files of annexes. A table that is opened to be written is a file on this machine until it is closed. */
import { constants } from 'node:fs';
import type { FileHandle as LocalHandle } from 'node:fs/promises';
import type { ProcessTable } from '../../lib/process-table.ts';
import { NEVER_ABORTED } from '../../lib/shared-signals.ts';
import { FsError } from '../errors/fs-error.ts';
import type { AttributeChanges, FileHandle, OpenReply, ReadReply, RequestContext } from '../file-system.ts';
import { Numbers } from '../model/number-ranges.ts';
import { type OpenMode, openModeOf } from '../open-flags.ts';
import { type LocalRoom, refuse } from './local-room.ts';
import type { AnnexFileNode, LocalNode, TableNode } from './node.ts';

/** Imports the bytes of a written table; a failure is recorded at its path. */
export type ImportWritten = (table: TableNode, bytes: Uint8Array, signal: AbortSignal) => Promise<void>;

export interface OpenFilesParts {
  /** Where tables are while they are written. */
  readonly drafts: LocalRoom;
  readonly processes: ProcessTable;
  readonly importWritten: ImportWritten;
  /** A writer was killed before it closed: its table is not imported. */
  readonly keepHalf: (table: TableNode, bytes: Uint8Array) => Promise<void>;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Of a table that is being written: all who have it open share it. */
interface Draft {
  readonly name: string;
  readonly file: LocalHandle;
  opens: number;
  /** Written or cut since it was imported. */
  isWritten: boolean;
}

type Open =
  | { readonly kind: 'text'; readonly node: TableNode }
  | { readonly kind: 'local'; readonly node: LocalNode; readonly file: LocalHandle }
  | {
      readonly kind: 'draft';
      readonly node: TableNode;
      readonly draft: Draft;
      readonly openedBy: number;
      readonly opener: Promise<number | undefined>;
    };

/** A program that ends without having closed a table cannot be interrupted: it waits so long for the import. */
const ENDING_WAITS_MS = 10_000;

export class AnnexFiles {
  readonly #parts: OpenFilesParts;
  readonly #handles = new Map<FileHandle, Open>();
  readonly #numbers = new Numbers<FileHandle>('annex');
  readonly #drafts = new Map<TableNode, Draft>();
  #draftCount = 0;

  constructor(parts: OpenFilesParts) {
    this.#parts = parts;
  }

  /** @throws EBADF */
  get(handle: FileHandle): Open {
    const open = this.#handles.get(handle);
    if (open === undefined) throw new FsError('EBADF', `handle ${handle} is not open`);
    return open;
  }

  async open(node: AnnexFileNode, flags: number, { pid }: RequestContext): Promise<OpenReply> {
    const mode = openModeOf(flags);
    if (node.kind === 'local') {
      const file = await node.room.open(node.name, localFlags(mode));
      return this.#add({ kind: 'local', node, file });
    }
    // The pages of a table stay those of its node: a new text has a new node.
    if (!mode.write) return { ...this.#add({ kind: 'text', node }), keepCache: !this.#drafts.has(node) };
    const draft = await this.#draftOf(node, mode);
    draft.opens += 1;
    const opener = this.#parts.processes.processOf(pid);
    return this.#add({ kind: 'draft', node, draft, openedBy: pid, opener });
  }

  /** Of a new file that was opened already. */
  opened(node: LocalNode, file: LocalHandle): OpenReply {
    return this.#add({ kind: 'local', node, file });
  }

  async read(handle: FileHandle, offset: number, sizeBytes: number): Promise<ReadReply> {
    const open = this.get(handle);
    if (open.kind === 'text' && !this.#drafts.has(open.node))
      return { chunks: [open.node.bytes.subarray(offset, offset + sizeBytes)] };
    const file = open.kind === 'text' ? this.#drafts.get(open.node)?.file : fileOf(open);
    if (file === undefined) return { chunks: [] };
    const buffer = Buffer.allocUnsafe(sizeBytes);
    const { bytesRead } = await file.read(buffer, 0, sizeBytes, offset).catch(refuse);
    return { chunks: [buffer.subarray(0, bytesRead)] };
  }

  async write(handle: FileHandle, offset: number, data: Uint8Array): Promise<number> {
    const open = this.get(handle);
    const file = fileOf(open);
    if (file === undefined) throw new FsError('EBADF', `handle ${handle} is not open for writing`);
    if (open.kind === 'draft') open.draft.isWritten = true;
    const { bytesWritten } = await file.write(data, 0, data.length, offset).catch(refuse);
    return bytesWritten;
  }

  /** A close(2) of the process that opened it imports the table. */
  async flush(handle: FileHandle, { pid, signal }: RequestContext): Promise<void> {
    const open = this.get(handle);
    if (open.kind !== 'draft' || !open.draft.isWritten) return;
    const { node, draft } = open;
    const [isOpener, end] = await Promise.all([this.#isOpener(open, pid), this.#parts.processes.endOf(pid)]);
    if (!isOpener || !draft.isWritten) return;
    if (end === 'kill') {
      draft.isWritten = false;
      await this.#parts.keepHalf(node, await bytesOf(draft.file));
      return;
    }
    // A shell that redirects a command's output has written nothing when it closes its own descriptor.
    const { size } = await draft.file.stat().catch(refuse);
    if (size === 0) return;
    const importing = this.#import(node, draft, end === undefined ? signal : NEVER_ABORTED);
    if (end === undefined) return importing;
    await Promise.race([importing.catch(() => {}), this.#parts.sleep(ENDING_WAITS_MS)]);
  }

  async fsync(handle: FileHandle): Promise<void> {
    await fileOf(this.get(handle))?.sync().catch(refuse);
  }

  /** Imports what no close(2) did. Nobody hears of a failure but `svcfs why`. */
  async release(handle: FileHandle): Promise<void> {
    const open = this.get(handle);
    this.#handles.delete(handle);
    if (open.kind === 'local') await open.file.close();
    if (open.kind !== 'draft') return;
    const { node, draft } = open;
    draft.opens -= 1;
    if (draft.opens > 0) return;
    this.#drafts.delete(node);
    try {
      if (draft.isWritten) await this.#import(node, draft, NEVER_ABORTED).catch(() => {});
    } finally {
      await draft.file.close();
      await this.#parts.drafts.remove(draft.name);
    }
  }

  /** The bytes that a file has while it is written; undefined: nobody writes it. */
  async writtenSize(node: TableNode): Promise<number | undefined> {
    return (await this.#drafts.get(node)?.file.stat())?.size;
  }

  isWritten(node: TableNode): boolean {
    return this.#drafts.has(node);
  }

  /** ftruncate(2), and what sets the times of an open file. */
  async change(handle: FileHandle, { sizeBytes }: AttributeChanges): Promise<void> {
    const open = this.get(handle);
    const file = fileOf(open);
    if (sizeBytes === undefined || file === undefined) return;
    await file.truncate(sizeBytes).catch(refuse);
    if (open.kind === 'draft') open.draft.isWritten = true;
  }

  #add(open: Open): OpenReply {
    const handle = this.#numbers.next();
    this.#handles.set(handle, open);
    return { handle, keepCache: false, directIo: false };
  }

  async #draftOf(node: TableNode, { truncate }: OpenMode): Promise<Draft> {
    const known = this.#drafts.get(node);
    if (known) {
      if (truncate) await known.file.truncate(0).catch(refuse);
      known.isWritten ||= truncate;
      return known;
    }
    const name = `draft-${++this.#draftCount}`;
    const file = await this.#parts.drafts.open(
      name,
      constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC,
    );
    if (!truncate) await file.write(node.bytes, 0, node.bytes.length, 0).catch(refuse);
    const draft = { name, file, opens: 0, isWritten: truncate };
    this.#drafts.set(node, draft);
    return draft;
  }

  async #import(node: TableNode, draft: Draft, signal: AbortSignal): Promise<void> {
    draft.isWritten = false;
    await this.#parts.importWritten(node, await bytesOf(draft.file), signal);
  }

  /** A process that cannot be known counts as the opener. */
  async #isOpener(open: Extract<Open, { readonly kind: 'draft' }>, thread: number): Promise<boolean> {
    if (thread === open.openedBy) return true;
    const [opener, closer] = await Promise.all([open.opener, this.#parts.processes.processOf(thread)]);
    return opener === undefined || closer === undefined || opener === closer;
  }
}

function fileOf(open: Open): LocalHandle | undefined {
  switch (open.kind) {
    case 'text':
      return undefined;
    case 'local':
      return open.file;
    case 'draft':
      return open.draft.file;
  }
}

/** The kernel gives the offset of an append, and may read what a writer has open. */
export function localFlags({ write, truncate, exclusive }: OpenMode): number {
  return (
    (write ? constants.O_RDWR : constants.O_RDONLY) |
    (truncate ? constants.O_TRUNC : 0) |
    (exclusive ? constants.O_EXCL : 0)
  );
}

/** From the start, wherever it was written last. */
async function bytesOf(file: LocalHandle): Promise<Buffer> {
  const { size } = await file.stat().catch(refuse);
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(bytes, length, size - length, length).catch(refuse);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}
