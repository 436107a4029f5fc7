import { type AnyPlace, type DirectoryPlace, isDirectoryPlace, nameOf } from '../../places/any-place.ts';
import { CliError } from '../exit-codes.ts';
import type { Argument } from '../platform/find-arguments.ts';

/** Where sources go. `name`: the entry itself gets that; undefined: it keeps its own, below. */
export interface Destination {
  readonly given: string;
  readonly directory: DirectoryPlace;
  readonly name: string | undefined;
  readonly folderName?: string | undefined;
}

interface How {
  /** It must be a directory. */
  readonly several: boolean;
  /** It is never one that sources go into. */
  readonly isEntry: boolean;
}

/** @throws CliError when nothing can go there */
export function destinationOf(
  argument: Exclude<Argument, { readonly kind: 'local' }>,
  { several, isEntry }: How,
): Destination {
  const { given } = argument;
  switch (argument.kind) {
    case 'failed':
      throw new CliError('failure', `${given}: ${argument.reason}`);
    case 'missing':
      throw new CliError('failure', `${given}: no such directory`);
    case 'free': {
      const { directory, name, folderName } = argument.free;
      // A level of a volume is there with its first object.
      if ((several || given.endsWith('/')) && directory.kind === 'prefix')
        return { given, directory: { ...directory, prefix: `${directory.prefix}${name}/` }, name: undefined };
      if (several) throw new CliError('failure', `${given}: no such directory; svcfs mkdir makes one`);
      return { given, directory, name, folderName };
    }
    case 'place': {
      const { place } = argument;
      if (isDirectoryPlace(place))
        return isEntry ? entryAt(given, place) : { given, directory: place, name: undefined };
      if (several || given.endsWith('/')) throw new CliError('failure', `${given}: a file, and no directory`);
      return { given, ...placeOfFile(place) };
    }
  }
}

/** Of `/a/b/`, `/a/b`. */
export function withoutSlash(path: string): string {
  return path.replace(/(?<=.)\/+$/, '');
}

/** The directory itself, as an entry of the one above it. */
function entryAt(given: string, place: DirectoryPlace): Destination {
  const name = nameOf(place);
  if (place.kind === 'prefix') {
    const { volume, prefix } = place;
    if (name !== '')
      return {
        given,
        directory: { kind: 'prefix', volume, prefix: prefix.slice(0, -name.length - 1) },
        name,
      };
  } else if (place.parent !== undefined) {
    const { project, names, parent } = place;
    const above = {
      kind: 'folder',
      project,
      names: names.slice(0, -1),
      id: parent,
      parent: undefined,
    } as const;
    return { given, directory: above, name };
  }
  throw new CliError('usage', `${given}: a whole project or volume is no entry of another: leave -T out`);
}

function placeOfFile(place: Exclude<AnyPlace, DirectoryPlace>): Pick<Destination, 'directory' | 'name'> {
  if (place.kind === 'object') {
    const slash = place.location.lastIndexOf('/') + 1;
    const prefix = place.location.slice(0, slash);
    return { directory: { kind: 'prefix', volume: place.volume, prefix }, name: place.location.slice(slash) };
  }
  const { project, names, file } = place;
  if (file.parent === undefined)
    throw new CliError('failure', `${file.name}: the platform does not tell its folder`);
  const directory = {
    kind: 'folder',
    project,
    names: names.slice(0, -1),
    id: file.parent,
    parent: undefined,
  } as const;
  return { directory, name: file.name };
}
