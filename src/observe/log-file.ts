import { constants, copyFileSync, fstatSync, ftruncateSync, openSync, renameSync, statSync } from 'node:fs';
import { pino } from 'pino';

/** Of lines that the disk has no room for now. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** `mount.log.1` is the newest. */
const OLD_FILES = 3;

const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;

export interface LogPlace {
  /** Open to append. */
  readonly fd: number;
  /** Of the same file; undefined: it is not ours to rotate. */
  readonly path?: string | undefined;
  /** When the file is larger, it is rotated. */
  readonly limitBytes?: number | undefined;
}

/**
 * Where lines of a log go. Written at once: the lines before a crash are the ones wanted. What cannot be written is with a
 * later line, as far as it is not too much.
 *
 * A rotation copies the file and empties it. The descriptor is that of the process's output, where the system and the engine
 * write their last words: they must not go to an old file (src/decisions/0078-logs-and-bundles.md).
 */
export class LogFile {
  readonly #path: string | undefined;
  readonly #limitBytes: number;
  #fd: number;
  #destination: ReturnType<typeof pino.destination>;
  #bytes: number;

  constructor({ fd, path, limitBytes = Number.POSITIVE_INFINITY }: LogPlace) {
    this.#fd = fd;
    this.#path = path;
    this.#limitBytes = limitBytes;
    this.#destination = destinationOf(fd);
    this.#bytes = path === undefined ? 0 : sizeOf(fd);
  }

  write(line: string): void {
    this.#destination.write(line);
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes > this.#limitBytes) this.rotate();
  }

  /** Begins the file anew. Where that cannot be, the file goes on, and is rotated later. */
  rotate(): void {
    if (this.#path === undefined) return;
    this.#bytes = 0;
    try {
      if (this.#wasMoved(this.#path)) this.#open(this.#path);
      else this.#empty(this.#path);
    } catch {
      // The disk is full, say: no work fails for want of a log.
    }
  }

  /** logrotate(8) has done it, and wants a new file. */
  #wasMoved(path: string): boolean {
    const ours = fstatSync(this.#fd);
    const there = statSync(path, { throwIfNoEntry: false });
    return there?.ino !== ours.ino || there.dev !== ours.dev;
  }

  #open(path: string): void {
    this.#fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
    this.#destination = destinationOf(this.#fd);
  }

  #empty(path: string): void {
    for (let number = OLD_FILES - 1; number > 0; number -= 1) {
      if (statSync(`${path}.${number}`, { throwIfNoEntry: false }))
        renameSync(`${path}.${number}`, `${path}.${number + 1}`);
    }
    copyFileSync(path, `${path}.1`, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
    ftruncateSync(this.#fd);
  }
}

function destinationOf(fd: number): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ fd, sync: true, maxLength: MOST_WAITING_BYTES });
  destination.on('error', () => undefined);
  return destination;
}

/** 0 where it is no file. */
function sizeOf(fd: number): number {
  const facts = fstatSync(fd);
  return facts.isFile() ? facts.size : 0;
}
