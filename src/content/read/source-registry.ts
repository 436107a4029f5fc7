import { contentKey } from '../content-version.ts';
import type { ContentVersion } from '../ports.ts';
import { type SourceDependencies, unquoted, VersionSource } from './version-source.ts';

/** A source for a handle, and whether its validator was told by something newer than the handle's open. */
export interface FoundSource {
  readonly source: VersionSource;
  readonly verified: boolean;
}

/** The sources in use or in cache, by the name of their bytes. */
export class SourceRegistry {
  readonly #deps: SourceDependencies;
  readonly #sources = new Map<string, VersionSource>();

  constructor(deps: SourceDependencies) {
    this.#deps = deps;
  }

  open(version: ContentVersion): FoundSource {
    const known = this.#sources.get(contentKey(version));
    if (known === undefined || known.version.sizeBytes !== version.sizeBytes) {
      return { source: this.replace(version), verified: true };
    }
    if (version.kind === 'file') return { source: known, verified: true };
    const told = version.kind === 'object' ? unquoted(version.etag) : undefined;
    if (told === undefined) return { source: known, verified: known.etag === undefined };
    return { source: told === known.etag ? known : this.replace(version), verified: true };
  }

  /** A new source under this name; handles of the old one keep it and learn that it changed. */
  replace(version: ContentVersion): VersionSource {
    const key = contentKey(version);
    const source: VersionSource = new VersionSource(version, this.#deps, () => this.tidy(source));
    this.#sources.set(key, source);
    return source;
  }

  /** Forgets a source that has neither handles nor cached bytes. */
  tidy(source: VersionSource): void {
    const key = contentKey(source.version);
    if (source.unused && this.#sources.get(key) === source) this.#sources.delete(key);
  }
}
