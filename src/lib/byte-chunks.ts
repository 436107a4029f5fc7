/** Bytes that wait in a socket of this process, the next to be taken off it and all there. */
export interface SocketBytes {
  /** The socket's descriptor; -1 when the connection is gone meanwhile. */
  readonly socket: number;
  /** Room for a copy of them; as long as they are. */
  readonly spare: Uint8Array;
  /** Room for what comes after them, which may be taken as well, as far as it is there and is read next. */
  readonly after: Uint8Array;
  /** What was taken off the socket, before `release`: `spare` first, as a whole. Nothing, when it could not be. */
  taken(what: TakenBytes): void;
}

/** Of a socket, by so many reads. */
export interface TakenBytes {
  readonly bytes: number;
  readonly reads: number;
  /** What follows them is lost. */
  readonly spoiled?: boolean;
}

/** Bytes in order, lent out: they stay as they are until `release`, which the borrower calls exactly once. */
export interface ByteChunks {
  readonly chunks: readonly Uint8Array[];
  /** What follows the chunks; only for a borrower who said that he takes bytes off a socket. */
  readonly rest?: SocketBytes | undefined;
  release?(): void;
}
