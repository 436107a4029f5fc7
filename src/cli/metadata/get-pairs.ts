import { tsvLine } from '../../metadata/format/tsv.ts';
import { cellText } from '../../metadata/format/words.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import { type NamedFile, withFiles } from './each-file.ts';

/**
 * Prints the values of keys. Of one key and one file that is the value as it is; else a line of TSV for each file: its path
 * and the values, as cells of a table have them.
 */
export async function getPairs(
  keys: readonly string[],
  paths: readonly string[],
  context: Context & { readonly recursive: boolean },
): Promise<void> {
  const found: NamedFile[] = [];
  const failures = await withFiles(paths, context, async (files) => void found.push(...files));
  sayFailures(failures);
  const [key, ...otherKeys] = keys;
  const [file, ...others] = found;
  if (key !== undefined && otherKeys.length === 0 && file && others.length === 0 && paths.length === 1)
    return printOne(file, key);
  for (const { path, file: record } of found)
    process.stdout.write(tsvLine([path, ...keys.map((each) => cellText(pairValue(record.metadata, each)))]));
  if (failures.failed > 0) throw new CliError('failure', 'not all of it could be read');
}

function printOne({ path, file }: NamedFile, key: string): void {
  const value = pairValue(file.metadata, key);
  if (value === undefined) throw new CliError('failure', `${path}: there is no pair ${key}`);
  console.log(value);
}

function pairValue(metadata: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}
