import { exportTable } from '../../metadata/apply/export-table.ts';
import { printTable } from '../../metadata/format/print-table.ts';
import type { Format } from '../../metadata/table.ts';
import { filesAt } from '../../places/list-files.ts';
import type { FilePlace } from '../../places/places.ts';
import { sayFailures } from '../describe/say-failures.ts';
import { CliError } from '../exit-codes.ts';
import { type Context, findPlaces } from '../platform/find-places.ts';
import { printPieces } from '../print-pieces.ts';

export interface ExportOptions {
  readonly recursive: boolean;
  readonly format: Format;
}

/** Prints the table of the files at paths. One that is not there leaves the others. */
export async function exportFiles(
  paths: readonly string[],
  { recursive, format }: ExportOptions,
  context: Context,
): Promise<void> {
  const { groups, failures } = await findPlaces(paths, context);
  const files: FilePlace[] = [];
  for (const { platform, places } of groups) {
    try {
      for (const { place } of places)
        files.push(...(await filesAt(place, { api: platform.api, signal: context.signal, recursive })));
    } catch (error) {
      throw platform.explain(error) ?? error;
    } finally {
      await platform.close();
    }
  }
  sayFailures(failures);
  if (files.length > 0 || failures.failed === 0)
    await printPieces(printTable(exportTable(onceEach(files)), format));
  if (failures.failed > 0) throw new CliError('failure', 'not all of it could be exported');
}

/** Paths may overlap, and a table has a row a file. */
function onceEach(files: readonly FilePlace[]): readonly FilePlace[] {
  return [...new Map(files.map((place) => [place.file.id, place])).values()];
}
