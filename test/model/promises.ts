/** The promises that `kept-promises.py` was given, and their proof in bytes. */

export interface Promises {
  /** The last version of each name that was acknowledged. */
  readonly closed: Map<string, number>;
  /** The last that was begun. */
  readonly tried: Map<string, number>;
  readonly synced: Map<string, { readonly version: number; readonly sizeBytes: number }>;
}

export function promisesOf(said: string): Promises {
  const promises: Promises = { closed: new Map(), tried: new Map(), synced: new Map() };
  for (const line of said.split('\n').filter((text) => text.endsWith(']'))) {
    const [what, name, version, sizeBytes] = JSON.parse(line) as [string, string, number, number];
    if (what === 'closed') promises.closed.set(name, version);
    if (what === 'trying') promises.tried.set(name, version);
    if (what === 'synced') promises.synced.set(name, { version, sizeBytes });
  }
  return promises;
}

/** The version that a file's bytes are, all of them. */
export function versionOf(name: string, bytes: Buffer): number {
  const text = bytes.toString('latin1');
  const [line = '', version] = /^\S+ (\d+)\n/.exec(text) ?? [];
  const whole = line.repeat(Math.ceil(text.length / Math.max(1, line.length))).slice(0, text.length);
  if (version === undefined || text !== whole || !line.startsWith(`${name} `))
    throw new Error(`${name} (${bytes.length} bytes) is not whole: ${text.slice(0, 40)}`);
  return Number(version);
}
