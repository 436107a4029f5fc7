/**
 * Synthetic entries: directories, files and links that are made of what the platform or the mount tells, and that nobody
 * can change. A tree is told by these objects, and `src/vfs/synthetic` serves them to the kernel.
 *
 * A directory looks names up and lists them; both are asked again when what they told no longer counts. What must be
 * fetched is fetched by `lookup`, or when a file is rendered, and never by `list`.
 */
import type { Awaitable } from '../file-system.ts';

export type SyntheticEntry = SyntheticDirectory | SyntheticFile | SyntheticLink | ControlFile;

interface SyntheticBase {
  /** Another id under the same name is another node. Default: what has the name stays the same thing. */
  readonly id?: string | undefined;
  /** st_mtime, in milliseconds; default: when the mount first saw it. May be a getter. */
  readonly mtimeMs?: number | undefined;
  /** How long the entry counts before its name is looked up again; default: as its directory says. */
  readonly ttlMs?: number | undefined;
  /** `user.svc.NAME` by NAME: read by name, not listed. */
  readonly fields?: Readonly<Record<string, string | undefined>> | undefined;
  /** Told each time the kernel asks about it, which it does at least once per TTL while a program looks. */
  readonly looked?: (() => void) | undefined;
}

export interface SyntheticDirectory extends SyntheticBase {
  readonly kind: 'directory';
  /** How long its names, and entries that say nothing else, count. */
  readonly entriesTtlMs: number;
  /** It and all below it belong to the user who mounted, and nobody else but root may look into it. */
  readonly isPrivate?: boolean | undefined;
  /** One name, asked for where no listing that counts has brought its entry. @throws ESTALE when the directory itself is gone */
  lookup(name: string, signal: AbortSignal): Awaitable<SyntheticEntry | undefined>;
  /**
   * The names of one page: of the first without a cursor, or of the one that the page before named.
   *
   * @throws ESTALE when the directory itself is gone
   */
  list(cursor: string | undefined, signal: AbortSignal): Awaitable<SyntheticPage>;
}

export interface SyntheticPage {
  readonly names: readonly SyntheticName[];
  /** Of the next page; undefined: this was the last. */
  readonly next?: string | undefined;
}

export interface SyntheticName {
  /** As Linux takes it (`shownName`). */
  readonly name: string;
  readonly kind: SyntheticEntry['kind'];
  /** Its entry, where the page tells it: no `lookup` is asked then while the page counts. */
  readonly entry?: SyntheticEntry | undefined;
}

/** The bytes are made when its name is looked up. They have their exact size, and stay the same for a handle. */
export interface SyntheticFile extends SyntheticBase {
  readonly kind: 'file';
  render(signal: AbortSignal): Awaitable<string | Uint8Array>;
}

export interface SyntheticLink extends SyntheticBase {
  readonly kind: 'link';
  /** Relative to the directory that it is in, so that it holds wherever the mount is. */
  readonly target: string;
}

/**
 * Takes a word (mode 0200): one write(2) is one word, and returns the error of `take`. To open, truncate, touch or copy it
 * does nothing.
 */
export interface ControlFile extends SyntheticBase {
  readonly kind: 'control';
  /** @param word without white space around it, never empty */
  take(word: string, signal: AbortSignal): Awaitable<void>;
}
