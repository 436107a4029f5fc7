/** Pairs under this prefix are the file system's own: mode, time, owner, links. People neither see nor change them. */
export const OWN_PREFIX = 'svcfs.';

export type Pairs = Readonly<Record<string, string>>;

export function isReservedKey(key: string): boolean {
  return key.startsWith(OWN_PREFIX);
}

/** Metadata that people and programs gave a file: all but the pairs of our own. */
export function userPairs(metadata: Pairs): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isReservedKey(key)));
}
