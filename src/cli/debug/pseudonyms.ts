import { createHmac, randomBytes } from 'node:crypto';

const DIGITS = 8;
const WORD = /[\p{L}\p{N}_]+/gu;
/** Of a number, or of JSON: to replace it would tell nothing and break something. */
const NO_NAME = /^(?:[\d.:TZ+-]*|true|false|null)$/;

interface Candidate {
  readonly name: string;
  /** Where its first word begins in it. */
  readonly offset: number;
}

/**
 * Words that stand for names: the same for a name all through a bundle, other ones in the next bundle. Nobody gets from a word to
 * its name, not even by trying names: the key is forgotten.
 */
export class Pseudonyms {
  readonly #key = randomBytes(32);
  readonly #kept: ReadonlySet<string>;
  readonly #learnt = new Set<string>();
  /** By the first word of the name; the longest first. */
  readonly #candidates = new Map<string, Candidate[]>();

  /** `kept`: words that are no names of a user. */
  constructor(kept: Iterable<string>) {
    this.#kept = new Set(kept);
  }

  of(name: string): string {
    if (this.#kept.has(name) || NO_NAME.test(name)) return name;
    this.#learn(name);
    return `name-${createHmac('sha256', this.#key).update(name).digest('hex').slice(0, DIGITS)}`;
  }

  /** Puts the words in place of the names that are known by now, wherever they stand in a text by themselves. */
  inText(text: string): string {
    let told = '';
    let at = 0;
    for (const { 0: word, index } of text.matchAll(WORD)) {
      if (index < at) continue;
      const found = this.#candidates
        .get(word)
        ?.find(({ name, offset }) => index - offset >= at && isAt(text, name, index - offset));
      if (found === undefined) continue;
      const start = index - found.offset;
      told += text.slice(at, start) + this.of(found.name);
      at = start + found.name.length;
    }
    return told + text.slice(at);
  }

  #learn(name: string): void {
    if (this.#learnt.has(name)) return;
    this.#learnt.add(name);
    const [first] = name.matchAll(WORD);
    if (first === undefined) return;
    const others = this.#candidates.get(first[0]) ?? [];
    others.push({ name, offset: first.index });
    others.sort((one, other) => other.name.length - one.name.length);
    this.#candidates.set(first[0], others);
  }
}

function isAt(text: string, name: string, start: number): boolean {
  return (
    text.startsWith(name, start) &&
    !/^[\p{L}\p{N}_]/u.test(text.slice(start + name.length, start + name.length + 2))
  );
}
