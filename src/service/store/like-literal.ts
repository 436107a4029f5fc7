/** Text as it stands in a `like` pattern with `\` as escape. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
