/** Bytes that wait in a socket of this process, the next to be taken off it and all there. */
export interface SocketBytes {
  /** The socket's descriptor; -1 when the connection is gone meanwhile. */
  readonly socket: number;
  /** Room for a copy of them; as long as they are. */
  readonly spare: Uint8Array;
  /** Room for what comes after them, which may be taken as well, as far as it is there and is read next. */
  readonly after: Uint8Array;
  /** Tells, before `release`, how much was taken off the socket: first all of `spare`, or nothing when that failed. */
  taken(what: TakenBytes): void;
}

/** Of a socket, by so many reads. */
export interface TakenBytes {
  readonly bytes: number;
  readonly reads: number;
  /** The bytes that follow them are lost. */
  readonly spoiled?: boolean;
}

/** Bytes in order, lent out: they stay as they are until `release`, which the borrower calls exactly once. */
export interface ByteChunks {
  readonly chunks: readonly Uint8Array[];
  /** The bytes after the chunks; only for a borrower that said it takes bytes off a socket. */
  readonly rest?: SocketBytes | undefined;
  release?(): void;
}

/** How many bytes there are, with those that wait in a socket. */
export function byteLength({ chunks, rest }: ByteChunks): number {
  return chunks.reduce((sum, { length }) => sum + length, rest?.spare.length ?? 0);
}
