/** A word that a shell takes as it is. Words of letters, digits and `_./:@%+=,-` stay as they are, and so does `~` before them. */
export function quoted(word: string): string {
  return /^~?[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
