/** A secondary file that an app asks for beside a file. */
export interface SecondaryPattern {
  /** `.bai` is appended; each `^` before takes an extension away first; a `?` after: it may be missing. */
  readonly pattern: string;
  readonly required: boolean;
}

/**
 * The patterns of a port (CWL v1.2, section 5.1.6, SecondaryFileSchema). Those that are expressions only the engine
 * can evaluate: such files have to be named among the inputs.
 */
export function secondaryPatterns(given: unknown): SecondaryPattern[] {
  if (Array.isArray(given)) return given.flatMap(secondaryPatterns);
  if (typeof given === 'string') return fromText(given);
  if (typeof given !== 'object' || given === null) return [];
  const { pattern, required } = given as { pattern?: unknown; required?: unknown };
  if (typeof pattern !== 'string') return [];
  return fromText(pattern).map((each) => ({ ...each, required: each.required && required !== false }));
}

function fromText(text: string): SecondaryPattern[] {
  if (text === '' || text.includes('$(') || text.includes('${')) return [];
  return text.endsWith('?')
    ? [{ pattern: text.slice(0, -1), required: false }]
    : [{ pattern: text, required: true }];
}

/** The name of the secondary file of a file. */
export function secondaryName(name: string, { pattern }: SecondaryPattern): string {
  const suffix = pattern.replace(/^\^+/, '');
  const carets = pattern.length - suffix.length;
  let stem = name;
  for (let i = 0; i < carets; i++) stem = stem.replace(/(?<=.)\.[^.]*$/, '');
  return stem + suffix;
}
