import { LRUCache } from 'lru-cache';
import { contentKey, etagOf } from '../content-version.ts';
import { ContentError, type ContentVersion } from '../ports.ts';
import { type SourceDependencies, VersionSource } from './version-source.ts';

/** A source for a handle, and whether its validator was told by something newer than the handle's open. */
export interface FoundSource {
  readonly source: VersionSource;
  readonly verified: boolean;
}

/** Files that nobody reads now, and whose link may be of use again: it costs a request. */
const RESTING_FILES = 1000;

/** The sources in use, in cache or with a link in hand, by the name of their bytes. */
export class SourceRegistry {
  readonly #deps: SourceDependencies;
  readonly #sources = new Map<string, VersionSource>();
  /** Those that have neither handles nor cached bytes. Files and aliases: each opening of an alias needs the link. */
  readonly #resting = new LRUCache<string, VersionSource>({
    max: RESTING_FILES,
    dispose: (source, key, reason) => {
      if (reason === 'evict') this.#forget(key, source);
    },
  });

  constructor(deps: SourceDependencies) {
    this.#deps = deps;
  }

  open(version: ContentVersion): FoundSource {
    const key = contentKey(version);
    const known = this.#sources.get(key);
    this.#resting.delete(key);
    if (known === undefined || known.version.sizeBytes !== version.sizeBytes) {
      return { source: this.replace(version), verified: true };
    }
    if (version.kind === 'file') return { source: known, verified: true };
    // The cached bytes may be those of an older object, and nothing would tell.
    if (known.lacksValidator && !known.index.empty) return { source: this.replace(version), verified: true };
    const told = etagOf(version);
    if (told === undefined) return { source: known, verified: known.etag === undefined };
    return { source: told === known.etag ? known : this.replace(version), verified: true };
  }

  /**
   * Runs `work` with a source whose validator is true now, and known if the store tells one. Undefined for an alias whose object
   * is empty now: nothing of that can be asked for.
   */
  async withCurrent<T>(
    version: ContentVersion,
    signal: AbortSignal,
    work: (source: VersionSource) => Promise<T>,
  ): Promise<T | undefined> {
    // An alias has the ETag of when it was opened last.
    const asked = version.kind === 'alias' ? { ...version, etag: undefined } : version;
    const { source, verified } = this.open(asked);
    const known = version.kind === 'file' || source.etag !== undefined;
    const current = verified && known ? source : await this.#verified(source, signal);
    if (current === undefined) return undefined;
    current.opened();
    try {
      return await work(current);
    } finally {
      current.handles -= 1;
      this.tidy(current);
    }
  }

  async #verified(source: VersionSource, signal: AbortSignal): Promise<VersionSource | undefined> {
    try {
      await this.#verify(source, signal);
      return source;
    } catch (error) {
      if (!(error instanceof ContentError) || error.kind !== 'changed') throw error;
      const { version } = source;
      const state = version.kind === 'alias' ? await source.inspect(signal) : undefined;
      if (state?.sizeBytes === 0) return undefined;
      const fresh = this.replace({ ...version, ...state });
      await this.#verify(fresh, signal);
      return fresh;
    }
  }

  /** A source that cannot be verified is not kept for the attempt. */
  async #verify(source: VersionSource, signal: AbortSignal): Promise<void> {
    try {
      await source.verify(signal);
    } catch (error) {
      this.tidy(source);
      throw error;
    }
  }

  /** A new source under this name; handles of the old one keep it and learn that it changed. */
  replace(version: ContentVersion): VersionSource {
    const key = contentKey(version);
    const source: VersionSource = new VersionSource(version, this.#deps, () => this.tidy(source));
    this.#sources.set(key, source);
    return source;
  }

  /** Forgets a source that has neither handles nor cached bytes, sooner or later. */
  tidy(source: VersionSource): void {
    const key = contentKey(source.version);
    if (!source.unused || this.#sources.get(key) !== source) return;
    if (source.version.kind === 'object') this.#forget(key, source);
    else this.#resting.set(key, source);
  }

  #forget(key: string, source: VersionSource): void {
    if (source.unused && this.#sources.get(key) === source) this.#sources.delete(key);
  }
}
