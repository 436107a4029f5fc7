/**
 * Names that tools use for a moment, by patterns as a shell has them: `*` stands for any characters, a `.` at the begin
 * included, and `?` for one.
 */
export function matcherOf(patterns: readonly string[]): (name: string) => boolean {
  const expressions = patterns.map(expressionOf);
  return (name) => expressions.some((expression) => expression.test(name));
}

function expressionOf(pattern: string): RegExp {
  const source = [...pattern].map((character) => {
    if (character === '*') return '.*';
    return character === '?' ? '.' : character.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  });
  return new RegExp(`^${source.join('')}$`, 'su');
}
