/** Control characters, what turns the direction of text around, and line separators. */
const OBEYED = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text from elsewhere, such as an id or the name of a file, may hold what a terminal obeys: it is shown instead. */
export function printable(text: string): string {
  return text.replace(OBEYED, (character) => {
    const code = character.charCodeAt(0).toString(16);
    return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
  });
}
