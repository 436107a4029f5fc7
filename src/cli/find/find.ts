import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { printable } from '../../lib/printable.ts';
import { exportTable } from '../../metadata/apply/export-table.ts';
import { printTable } from '../../metadata/format/print-table.ts';
import { findFiles } from '../../metadata/query/find-files.ts';
import { parseTerm, type Term, TermError } from '../../metadata/query/term.ts';
import type { FilePlace, FolderPlace } from '../../places/places.ts';
import { describePath, isPlatformPath } from '../../places/platform-path.ts';
import { shownFolderName, shownName } from '../../vfs/model/escape.ts';
import { CliError } from '../exit-codes.ts';
import { type Context, findPlaces } from '../platform/find-places.ts';
import { printPieces } from '../print-pieces.ts';

export interface FindOptions {
  /** NUL after each path. */
  readonly null: boolean;
  readonly json: boolean;
  readonly tsv: boolean;
  /** For the shell, with the path as `$1`. */
  readonly exec: string | undefined;
}

/** Prints the files below a folder that meet all conditions, or runs a command for each. */
export async function find(
  given: string,
  texts: readonly string[],
  options: FindOptions,
  context: Context,
): Promise<void> {
  const terms = texts.map(termOf);
  const { groups, failures } = await findPlaces([given], context);
  const [failure] = failures.failures;
  if (failure !== undefined) throw new CliError('failure', `${given}: ${failure.reason}`);
  const [group] = groups;
  const place = group?.places[0]?.place;
  if (group === undefined || place === undefined) throw new CliError('failure', `${given}: not found`);
  const { platform } = group;
  try {
    if (place.kind === 'file') throw new CliError('usage', `${given}: no folder or project`);
    const found = await findFiles(place, terms, { api: platform.api, signal: context.signal });
    await tell(found, { given, folder: place }, options);
  } catch (error) {
    throw platform.explain(error) ?? error;
  } finally {
    await platform.close();
  }
}

function termOf(text: string): Term {
  try {
    return parseTerm(text);
  } catch (error) {
    if (error instanceof TermError) throw new CliError('usage', error.message, { cause: error });
    throw error;
  }
}

interface Where {
  readonly given: string;
  readonly folder: FolderPlace;
}

async function tell(files: readonly FilePlace[], where: Where, options: FindOptions): Promise<void> {
  if (options.tsv || options.json) {
    await printPieces(printTable(exportTable(files), options.tsv ? 'tsv' : 'jsonl'));
    return;
  }
  const paths = files.map((file) => pathOf(file, where));
  if (options.exec !== undefined) return runForEach(options.exec, paths);
  await printPieces(paths.map((path) => (options.null ? `${path}\0` : `${printable(path)}\n`)));
}

/** As the folder was given: below it in the mount, or on the platform. */
function pathOf(place: FilePlace, { given, folder }: Where): string {
  if (isPlatformPath(given)) return describePath(place);
  const below = place.names.slice(folder.names.length);
  const folders = below.slice(0, -1).map(shownFolderName);
  return join(given, ...folders, shownName(below.at(-1) ?? '', 'entry'));
}

async function runForEach(command: string, paths: readonly string[]): Promise<void> {
  let failed = 0;
  for (const path of paths) {
    const child = spawn('sh', ['-c', command, 'sh', path], { stdio: 'inherit' });
    const [code, signal] = await once(child, 'close');
    if (signal !== null)
      throw new CliError('failure', `the command for ${printable(path)} ended by ${signal}`);
    if (code !== 0) failed += 1;
  }
  if (failed > 0) throw new CliError('failure', `the command failed for ${failed} of ${paths.length} files`);
}
