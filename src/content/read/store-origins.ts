import type { ContentVersion } from '../ports.ts';

/** Which store the next link of a kind of version will probably lead to: the one that the last of them led to. */
export class StoreOrigins {
  readonly #lastOf = new Map<string, string>();
  readonly #guess: () => string | undefined;

  /** @param guess For files of the platform, before there was a link */
  constructor(guess: () => string | undefined) {
    this.#guess = guess;
  }

  /** Such as `https://host:port`; undefined when nothing is known. */
  expected(version: ContentVersion): string | undefined {
    return this.#lastOf.get(storeOf(version)) ?? (version.kind === 'file' ? this.#guess() : undefined);
  }

  learn(version: ContentVersion, url: string): void {
    if (URL.canParse(url)) this.#lastOf.set(storeOf(version), new URL(url).origin);
  }
}

function storeOf(version: ContentVersion): string {
  return version.kind === 'object' ? `object ${version.volume}` : version.kind;
}
