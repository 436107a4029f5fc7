/** A bullet of GUARANTEES.md, and the tests that its comment names: one, or a list of them. */
export interface Promised {
  readonly text: string;
  readonly tests: readonly string[];
}

const COMMENT = /<!-- test:(.*?)-->/gs;

export function promisesOf(markdown: string): readonly Promised[] {
  const withNamesInline = markdown.replace(
    COMMENT,
    (_, names: string) => `<!-- ${JSON.stringify(listed(names))} -->`,
  );
  return withNamesInline
    .split(/^(?=- |#|$)/m)
    .filter((block) => block.startsWith('- '))
    .map((bullet) => {
      const comments = [...bullet.matchAll(/<!-- (\[.*\]) -->/g)];
      return {
        text: bullet
          .slice(2)
          .replace(/<!--.*?-->/g, '')
          .replace(/\s+/g, ' ')
          .trim(),
        tests: comments.flatMap(([, names = '[]']) => JSON.parse(names) as string[]),
      };
    });
}

function listed(names: string): readonly string[] {
  return names
    .split(/^ *- /m)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
