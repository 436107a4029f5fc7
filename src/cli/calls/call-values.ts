/** What calls take and answer, as JSON: a set is an array there, and bytes are text. */

interface WireBytes {
  readonly base64: string;
}

export function toWire(value: unknown): unknown {
  if (value instanceof Set) return [...value];
  if (value instanceof Uint8Array) {
    const bytes: WireBytes = { base64: Buffer.from(value).toString('base64') };
    return bytes;
  }
  return value;
}

export function fromWire(value: unknown): unknown {
  return isBytes(value) ? Buffer.from(value.base64, 'base64') : value;
}

function isBytes(value: unknown): value is WireBytes {
  return typeof value === 'object' && value !== null && Object.keys(value).join() === 'base64';
}
