import { realpath } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { isPlatformPath } from '../../places/platform-path.ts';
import { isVolumePath } from '../../places/volume-path.ts';
import type { FileReference } from '../../tasks/fit-inputs.ts';
import { locate } from '../mount/select-mount.ts';
import type { Argument } from '../platform/find-arguments.ts';
import type { Platform } from '../platform/platform.ts';

/** Of the platform, in hexadecimal. */
const FILE_ID = /^[0-9a-f]{24}$/;

export function isFileId(text: string): boolean {
  return FILE_ID.test(text);
}

/**
 * A path of an input as `findArguments` takes it. The kernel follows a link of the mount: the outputs of one task are the
 * inputs of the next.
 */
export async function pathOfInput(given: string, directory: string): Promise<string> {
  if (isPlatformPath(given) || isVolumePath(given)) return given;
  const path = isAbsolute(given) ? given : join(directory, given);
  const inMount = (await locate(path))?.path;
  return inMount?.startsWith('/tasks/') === true ? realpath(path).catch(() => path) : path;
}

/** Puts the ids of files that were given by paths in place; answers a sentence for each that has none. */
export function putIds(
  references: readonly FileReference[],
  found: ReadonlyMap<FileReference, Argument | undefined>,
): readonly string[] {
  return references.flatMap((reference) => {
    const argument = found.get(reference);
    const { at, file } = reference;
    const reason = argument === undefined ? 'not looked for' : misfitOf(argument, file.class);
    if (reason !== undefined) return [`port ${at}: expects ${file.class}, got ${file.path}: ${reason}`];
    if (argument?.kind === 'place') file.path = idOf(argument);
    return [];
  });
}

function idOf({ place }: Extract<Argument, { readonly kind: 'place' }>): string {
  return place.kind === 'file' ? place.file.id : place.kind === 'folder' ? place.id : '';
}

function misfitOf(argument: Argument, wanted: 'File' | 'Directory'): string | undefined {
  switch (argument.kind) {
    case 'local':
      return 'not on the platform: copy it into a project first';
    case 'failed':
      return argument.reason;
    case 'free':
    case 'missing':
      return 'no such file or directory';
    case 'place':
      return misfitOfKind(argument.place.kind, wanted);
  }
}

function misfitOfKind(
  kind: 'file' | 'folder' | 'object' | 'prefix',
  wanted: 'File' | 'Directory',
): string | undefined {
  if (kind === 'object' || kind === 'prefix') return 'on a volume: copy it into a project first';
  if (kind === 'folder' && wanted === 'File') return 'a folder';
  return kind === 'file' && wanted === 'Directory' ? 'a file' : undefined;
}

/** A sentence for each id that is of no file, or of one of the other kind. A request for each hundred. */
export async function checkIds(
  references: readonly FileReference[],
  { api }: Platform,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const group of inGroups(references, PAGE_LIMIT_MAX)) {
    const answers = await api.files.bulkGet(group.map(({ file }) => file.path));
    group.forEach(({ at, file }, index) => {
      const answer = answers[index];
      const reason = answer?.ok
        ? misfitOfKind(answer.value.kind, file.class)
        : (answer?.failure.message ?? 'the service does not tell of it');
      if (reason !== undefined)
        problems.push(`port ${at}: expects ${file.class}, got ${file.path}: ${reason}`);
    });
  }
  return problems;
}
