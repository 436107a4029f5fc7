/**
 * Names that tools use for a moment, by patterns as a shell has them. A `*` stands for any characters, a `.` at the
 * beginning included, and a `?` for one. A set stands for one of its characters (`[0-9]`), or for one that is not in it
 * (`[!0-9]`).
 */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(expressionOf);
  return (name) => expressions.some((expression) => expression.test(name));
}

/** A set, or one character; a `[` that begins no set stands for itself. */
const TOKEN = /\[(?<not>!?)(?<members>[^\]]+)\]|./gsu;

function expressionOf(pattern: string): RegExp {
  const source = pattern.replace(TOKEN, (token, not: string | undefined, members: string | undefined) => {
    if (members !== undefined) return setOf(members, not === '!');
    if (token === '*') return '.*';
    return token === '?' ? '.' : token.replace(/[\\^$.|+()[\]{}/]/, '\\$&');
  });
  return new RegExp(`^${source}$`, 'su');
}

function setOf(members: string, isExcluded: boolean): string {
  const ranges = members.replace(/[\\\]^[]/gu, '\\$&');
  return `[${isExcluded ? '^' : ''}${withPlainDashes(ranges)}]`;
}

/** A `-` at an end is no range. */
function withPlainDashes(ranges: string): string {
  return ranges.replace(/^-|-$/gu, '\\-');
}
