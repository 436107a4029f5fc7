import { PACKAGE_ROOT } from '../../lib/package-root.ts';
import { redacted } from '../../observe/redact.ts';
import { KEPT_WORDS, NAME_KEYS, PLAIN_KEYS } from './kept-words.ts';
import { Pseudonyms } from './pseudonyms.ts';

/** Of files and jobs of the platform, and of requests. */
const ID = /^(?:[0-9a-f]{24}|[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const SECRET_KEY = /token$|secret|password|authorization|signature|cookie|credential/i;
const HIDDEN = '[redacted]';
/** Lines of a stack: of JavaScript, and of the kernel. */
const STACK_LINE = /^\s+at |^\[<[0-9a-f]+>\] /;
const ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s"'/?#,;)]*)([^\s"',;)]*)/gi;
const QUOTED = /'([^'\n]{1,255})'|"([^"\n]{1,255})"/g;
const WORDS = /name-[0-9a-f]{8}|\[redacted\]|[\p{L}\p{N}_]+/gu;
/** Words with a slash or a dot in them. */
const NAMELIKE = /[^\s'"(),;=[\]{}]*[/.][^\s'"(),;=[\]{}]*/g;

export interface CleanerOptions {
  /** Tokens and passwords that are known here. */
  readonly secrets: readonly string[];
  /** Whether they stay. */
  readonly names: boolean;
  /** Words, in small letters, that are no names. */
  readonly ownWords: ReadonlySet<string>;
}

/**
 * Takes out of texts what a bundle must not hold: secrets in any case, and names of files, projects and users unless they are
 * wanted. Fields that hold a name or a path are replaced whole. In other texts a known name is replaced. A word that has
 * a slash or a dot in it, is in quotes, or is not one of the program itself is taken for one.
 *
 * Everything has to be cleaned twice: the second time all names are known.
 */
export class Cleaner {
  readonly #secrets: readonly string[];
  readonly #ownWords: ReadonlySet<string>;
  readonly #names: Pseudonyms | undefined;

  constructor({ secrets, names, ownWords }: CleanerOptions) {
    this.#ownWords = ownWords;
    this.#secrets = secrets.filter((secret) => secret.length > 3);
    this.#names = names ? undefined : new Pseudonyms(KEPT_WORDS);
  }

  /** Of JSON. `key`: of the field that holds it. */
  value(value: unknown, key = ''): unknown {
    if (typeof value === 'string') return SECRET_KEY.test(key) ? HIDDEN : this.#field(key, value);
    if (Array.isArray(value)) return value.map((each) => this.value(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [this.#key(name), this.value(each, name)]),
    );
  }

  /** Of lines for people. */
  text(text: string): string {
    return this.#withoutSecrets(text)
      .split('\n')
      .map((line) => (STACK_LINE.test(line) ? line.replaceAll(PACKAGE_ROOT, '') : this.#line(line)))
      .join('\n');
  }

  #field(key: string, value: string): string {
    if (PLAIN_KEYS.has(key)) return this.#withoutSecrets(value);
    const isPath = NAME_KEYS.has(key) || /^[~/]/.test(value);
    return isPath ? this.#path(this.#withoutSecrets(value)) : this.text(value);
  }

  /** Keys of our own are words; others are paths and calls by which something is counted. */
  #key(name: string): string {
    return /^[A-Za-z][\w-]*$/.test(name) ? name : this.text(name);
  }

  #withoutSecrets(text: string): string {
    return this.#secrets.reduce((left, secret) => left.replaceAll(secret, HIDDEN), redacted(text));
  }

  #line(line: string): string {
    if (this.#names === undefined) return line;
    // Hosts stay: without them nobody can tell what was asked.
    let told = '';
    let at = 0;
    for (const { 0: address, 1: scheme, 2: host, 3: path = '', index } of line.matchAll(ADDRESS)) {
      told += `${this.#words(line.slice(at, index), this.#names)}${scheme}${host}${this.#path(path)}`;
      at = index + address.length;
    }
    return told + this.#words(line.slice(at), this.#names);
  }

  #words(text: string, names: Pseudonyms): string {
    return names
      .inText(text)
      .replace(QUOTED, (all, single, double) => `${all[0]}${this.#path(single ?? double)}${all[0]}`)
      .replace(NAMELIKE, (word) => {
        const [, body = '', end = ''] = /^(.*?)([.:]*)$/s.exec(word) ?? [];
        return `${this.#path(body)}${end}`;
      })
      .replace(WORDS, (word) => (this.#isOwn(word) ? word : names.of(word)));
  }

  #isOwn(word: string): boolean {
    if (isOurs(word) || ID.test(word) || /^(?:.|\d+\p{L}{0,3})$/u.test(word)) return true;
    return word.split('_').every((part) => part === '' || this.#ownWords.has(part.toLowerCase()));
  }

  #path(path: string): string {
    const names = this.#names;
    if (names === undefined) return path;
    return path
      .split(/([/?&]|:(?=\/))/)
      .map((part) => (ID.test(part) || isOurs(part) ? part : names.of(part)))
      .join('');
  }
}

/** A placeholder of a route, what stands for a name already, and what was taken out. */
function isOurs(part: string): boolean {
  return /^(?:[/?&:]?|:\w+|name-[0-9a-f]{8}|\[redacted\].*)$/.test(part);
}
