/** Of pino; told by themselves, or of no use to a person. */
const APART: ReadonlySet<string> = new Set(['level', 'time', 'pid', 'msg']);
const LEVEL_COLUMN = 5;

/** A line of the log in JSON as a person reads it: `TIME LEVEL TEXT key=value…`. A line that is something else stays as it is. */
export function textOfLine(line: string): string {
  const fields = parsed(line);
  if (fields === undefined) return line;
  const { level = '', time = '', msg = '' } = fields;
  const others = Object.entries(fields).filter(([key]) => !APART.has(key));
  return [
    String(time),
    String(level).padEnd(LEVEL_COLUMN),
    String(msg),
    ...others.map(([key, value]) => `${key}=${described(value)}`),
  ].join(' ');
}

/** Undefined for what is no object of JSON. */
export function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** A word as it is; anything that could be taken for several, in JSON. */
function described(value: unknown): string {
  if (isError(value)) return JSON.stringify(value.message);
  if (typeof value !== 'string') return JSON.stringify(value);
  return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function isError(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}
