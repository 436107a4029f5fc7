import type { FilePlace, FolderPlace } from '../../places/places.ts';
import { shownFolderName, shownName } from '../model/escape.ts';

const NAME_MAX = 255;

/** A text as a name in a directory of queries, where some characters mean something. `undefined`: it is too long, or empty. */
export function entryName(text: string): string | undefined {
  const name = text
    .replace(/[%/|=<>~!\0]/g, (character) => `%${hex(character)}`)
    .replace(/^\./, (dot) => (/^\.\.?$|^\.svcfs$/.test(text) ? `%${hex(dot)}` : dot));
  return name === '' || Buffer.byteLength(name) > NAME_MAX ? undefined : name;
}

/** The files by the names that they have in a directory of queries: their own, or their paths where two have the same. */
export function namesOfFiles(
  { names: above }: FolderPlace,
  files: readonly FilePlace[],
): ReadonlyMap<string, string> {
  const paths = files.map(({ names }) => shownPath(names.slice(above.length)));
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(lastOf(path), (counts.get(lastOf(path)) ?? 0) + 1);
  return new Map(
    paths.flatMap((path): readonly (readonly [string, string])[] => {
      const name = entryName(counts.get(lastOf(path)) === 1 ? lastOf(path) : path);
      return name === undefined ? [] : [[name, path]];
    }),
  );
}

function shownPath(names: readonly string[]): string {
  return [...names.slice(0, -1).map(shownFolderName), shownName(names.at(-1) ?? '', 'entry')].join('/');
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
}
