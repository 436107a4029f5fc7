import { matcherOf } from './match-names.ts';

type Match = (name: string) => boolean;

/** Ids of projects or volumes (`OWNER/NAME`) by patterns as a shell has them; no pattern character stands for the `/`. */
export class IdPatterns {
  readonly patterns: readonly string[];
  readonly #matches: readonly { readonly owner: Match; readonly name: Match }[];

  constructor(patterns: readonly string[]) {
    this.patterns = [...new Set(patterns)];
    this.#matches = this.patterns.map((pattern) => {
      const [owner, name] = halvesOf(pattern);
      return { owner: matcherOf([owner]), name: matcherOf([name]) };
    });
  }

  /** The ids themselves, when no pattern stands for several. */
  get ids(): readonly string[] | undefined {
    return this.patterns.some(isPattern) ? undefined : this.patterns;
  }

  has(id: string): boolean {
    const [owner, name] = halvesOf(id);
    return this.#matches.some((match) => match.owner(owner) && match.name(name));
  }

  /** Whether an id of that owner can be among them. */
  hasOwner(owner: string): boolean {
    return this.#matches.some((match) => match.owner(owner));
  }
}

/** Whether the text may stand for other names than its own. */
export function isPattern(text: string): boolean {
  return /[*?[]/.test(text);
}

function halvesOf(id: string): readonly [owner: string, name: string] {
  const slash = id.indexOf('/');
  return [id.slice(0, slash), id.slice(slash + 1)];
}
