import type { Environment } from './directories.ts';

export const SECRET_KEY_VARIABLE = 'SVCFS_SECRET_KEY';

/**
 * The keys that encrypt the secrets of volumes, as given: in the environment, or by the name of a file. There is no flag
 * for the keys themselves, since every user of the machine reads command lines.
 */
export function secretKeysGiven(
  file: string | undefined,
  environment: Environment,
): { readonly text: string; readonly source: string } | { readonly file: string } | undefined {
  const text = environment[SECRET_KEY_VARIABLE];
  if (text) return { text, source: SECRET_KEY_VARIABLE };
  return file === undefined ? undefined : { file };
}
