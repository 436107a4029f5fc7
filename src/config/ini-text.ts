/**
 * The form of credentials files, as the platform's public client reads it (configparser of Python): `key = value` or
 * `key: value`, keys in any case, a section `[DEFAULT]` that all others inherit. A comment is a line of its own that begins
 * with `#` or `;`: a token may hold both, and quotes too.
 */

/** Keys in lower case, by section. */
export type IniSections = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** A line that is none of the form; the message names it by its number, and shows nothing of it: it may be a token. */
export class IniError extends Error {
  override readonly name = 'IniError';
}

const INHERITED = 'DEFAULT';
/** Editors of other systems put it first. */
const BYTE_ORDER_MARK = /^\uFEFF/;

interface IniLine {
  /** Undefined before the first. */
  readonly section: string | undefined;
  readonly kind: 'section' | 'key' | 'more' | 'nothing';
  readonly key?: string;
  readonly value?: string;
}

export function parseIni(text: string): IniSections {
  const sections = new Map<string, Map<string, string>>();
  let last: { readonly keys: Map<string, string>; readonly key: string } | undefined;
  for (const [index, { section = '', kind, key = '', value = '' }] of linesOf(text).entries()) {
    if (kind === 'section') {
      if (sections.has(section)) throw new IniError(`line ${index + 1} begins [${section}] a second time`);
      sections.set(section, new Map());
    } else if (kind === 'key') {
      const keys = sections.get(section) ?? new Map<string, string>();
      if (keys.has(key)) throw new IniError(`line ${index + 1} has ${key} of [${section}] a second time`);
      keys.set(key, value);
      last = { keys, key };
    } else if (kind === 'more' && last !== undefined) {
      last.keys.set(last.key, `${last.keys.get(last.key) ?? ''}\n${value}`);
    }
  }
  const inherited = sections.get(INHERITED) ?? new Map<string, string>();
  sections.delete(INHERITED);
  return new Map([...sections].map(([name, keys]) => [name, new Map([...inherited, ...keys])]));
}

/** The text with these keys in a section, which is made if there is none. All else stays as it is, comments too. */
export function withKeys(text: string, section: string, keys: Readonly<Record<string, string>>): string {
  const lines = linesOf(text);
  const kept = splitLines(text);
  const missing = new Map(Object.entries(keys));
  let end: number | undefined;
  const written = kept.flatMap((line, index) => {
    const parsed = lines[index];
    if (parsed?.section !== section) return [line];
    if (parsed.kind !== 'nothing') end = index;
    const value = parsed.key === undefined ? undefined : keys[parsed.key];
    if (parsed.key === undefined || value === undefined) return [line];
    missing.delete(parsed.key);
    // What went on below belonged to the old value.
    return parsed.kind === 'key' ? [`${parsed.key} = ${value}`] : [];
  });
  const added = [...missing].map(([key, value]) => `${key} = ${value}`);
  if (end === undefined)
    return ended([...written, ...(text.trim() === '' ? [] : ['']), `[${section}]`, ...added], text);
  written.splice(end + 1 - (kept.length - written.length), 0, ...added);
  return ended(written, text);
}

/** The text without these keys of a section, and without the section when nothing is left in it. */
export function withoutKeys(text: string, section: string, keys: readonly string[]): string {
  const lines = linesOf(text);
  const isOurs = ({ key, section: of }: IniLine): boolean =>
    of === section && key !== undefined && keys.includes(key);
  const empties = !lines.some((line) => line.section === section && line.kind === 'key' && !isOurs(line));
  const written = splitLines(text).filter((_, index) => {
    const line = lines[index];
    if (line === undefined) return true;
    return !isOurs(line) && !(empties && line.section === section && line.kind === 'section');
  });
  return ended(written, text);
}

function linesOf(text: string): readonly IniLine[] {
  let section: string | undefined;
  let open: { readonly key: string; readonly indent: number } | undefined;
  return splitLines(text).map((line, index) => {
    const own = line.trim();
    if (own === '' || own.startsWith('#') || own.startsWith(';')) return { section, kind: 'nothing' };
    const indent = line.length - line.trimStart().length;
    if (open !== undefined && indent > open.indent)
      return { section, kind: 'more', key: open.key, value: own };
    const header = /^\[(.+)\]/.exec(own)?.[1];
    if (header !== undefined) {
      section = header.trim();
      open = undefined;
      return { section, kind: 'section' };
    }
    if (section === undefined) throw new IniError(`line ${index + 1} stands before any [profile]`);
    const [, key, value] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(own) ?? [];
    if (key === undefined || value === undefined) throw new IniError(`line ${index + 1} is no "key = value"`);
    open = { key: key.toLowerCase(), indent };
    return { section, kind: 'key', key: open.key, value };
  });
}

function splitLines(text: string): readonly string[] {
  return text
    .replace(BYTE_ORDER_MARK, '')
    .replace(/\r?\n$/, '')
    .split(/\r?\n/);
}

/** With the ends of lines that the text had. */
function ended(lines: readonly string[], before: string): string {
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const all = lines[0] === '' && before.trim() === '' ? lines.slice(1) : lines;
  return all.map((line) => line + end).join('');
}
