import { FILE_NAME_LENGTH_MAX, RESERVED_FOLDER_PREFIX } from '../../contract/limits.ts';
import { toStorableText } from '../store/storable-text.ts';

/** The name in a project of a file that a tool made: its own name, as far as it can be one there. */
export function outputFileName(name: string): string {
  const storable = toStorableText(name).replaceAll('/', '_');
  return [...storable].slice(0, FILE_NAME_LENGTH_MAX).join('') || '_';
}

/** The same for a folder, whose name must not begin as those that are reserved. */
export function outputFolderName(name: string): string {
  const cut = outputFileName(name);
  return cut.startsWith(RESERVED_FOLDER_PREFIX) ? cut.replace(/^_+/, '_') : cut;
}
