/** An operation of a program that was answered, as `svcfs trace --json` prints it. */
export interface TraceEvent {
  /** When it began, in milliseconds since the epoch. */
  readonly atMs: number;
  /** 0: the kernel asks for itself. */
  readonly process: number;
  /** Name of the program; null when it is gone. */
  readonly program: string | null;
  /** Name of the kernel's request, in small letters. */
  readonly operation: string;
  /** From the top of the mount. */
  readonly path: string;
  /** The new name of a rename. */
  readonly target: string | null;
  /** Of the arguments: `SIZE@OFFSET`, the name of an attribute, how a file is opened. */
  readonly detail: string | null;
  /** Bytes; null: it has nothing to say but that it was done. */
  readonly result: number | null;
  /** Null: it was done. */
  readonly errno: string | null;
  /** The reason of an error, for a person. */
  readonly reason: string | null;
  readonly ms: number;
  /** To the API, as far as they were made before the answer. */
  readonly requests: number;
}
