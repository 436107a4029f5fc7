/** Whether both databases give the text back as it is: no NUL, and no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && Buffer.from(text, 'utf8').toString('utf8') === text;
}

/** The text as both databases can keep it, for what nobody relies on to the letter. */
export function toStorableText(text: string): string {
  return Buffer.from(text.replaceAll('\0', ''), 'utf8').toString('utf8');
}
