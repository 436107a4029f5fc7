import type { FileRecord } from '../../api/model.ts';
import type { Asking } from '../../places/asking.ts';
import { getFiles } from '../../places/get-files.ts';
import { listFolder } from '../../places/list-files.ts';
import { type FolderPlace, MissingError, Places } from '../../places/places.ts';
import {
  describePath,
  isPlatformPath,
  type PlatformPath,
  parsePlatformPath,
} from '../../places/platform-path.ts';
import type { TableRow } from '../table.ts';
import { type Problem, TableError } from '../table-error.ts';

export interface Finding extends Asking {
  /** The folder that paths without `project:` begin in. */
  readonly base: FolderPlace | undefined;
  /** A file that was replaced since the export, and has another id now, is taken all the same. */
  readonly followPath: boolean;
}

/** The file of a row, or why it is not the one that was exported. */
export type FoundRow = { readonly row: TableRow; readonly path: string } & (
  | { readonly file: FileRecord }
  | { readonly file: undefined; readonly conflict: string }
);

/** Finds the file of each row: by its id, else by its path. @throws TableError for rows without a file of their own */
export async function findRows(rows: readonly TableRow[], finding: Finding): Promise<readonly FoundRow[]> {
  const byId = await getFiles(
    rows.flatMap(({ id }) => (id === undefined ? [] : [id])),
    finding,
  );
  const isGone = ({ id }: TableRow): boolean => {
    const found = id === undefined ? undefined : byId.get(id);
    return found?.ok !== true && (found === undefined || found.failure.status === 404);
  };
  const byPath = await new RowPaths(finding).find(rows.filter(isGone));
  const problems: Problem[] = [];
  const found = rows.flatMap((row): readonly FoundRow[] => {
    const refuse = (text: string): readonly FoundRow[] => {
      problems.push({ row: row.number, column: row.id === undefined ? 'svc.path' : 'svc.id', text });
      return [];
    };
    const result = row.id === undefined ? undefined : byId.get(row.id);
    if (result?.ok) {
      if (result.value.kind === 'folder') return refuse(`${row.id} is a folder, which has no metadata`);
      return [{ row, path: row.path ?? describeFile(result.value), file: result.value }];
    }
    if (!isGone(row)) return refuse(result?.ok === false ? result.failure.message : 'no answer');
    const atPath = byPath.get(row);
    if (row.id === undefined)
      return typeof atPath === 'object'
        ? [{ row, path: row.path ?? '', file: atPath }]
        : refuse(atPath ?? NO_FILE);
    if (typeof atPath !== 'object') return refuse(`no file has the id ${row.id}`);
    const path = row.path ?? '';
    if (finding.followPath) return [{ row, path, file: atPath }];
    const conflict = `the file was replaced since the export and has the id ${atPath.id} now; --follow-path takes it`;
    return [{ row, path, file: undefined, conflict }];
  });
  problems.push(...sameFiles(found));
  if (problems.length > 0) throw new TableError(problems);
  return found;
}

const NO_FILE = 'the row has neither svc.id nor svc.path';

function describeFile({ project, name }: FileRecord): string {
  return `${project}: ${name}`;
}

function sameFiles(found: readonly FoundRow[]): readonly Problem[] {
  const rows = new Map<string, number>();
  return found.flatMap(({ row, path, file }) => {
    if (file === undefined) return [];
    const first = rows.get(file.id);
    if (first === undefined) rows.set(file.id, row.number);
    return first === undefined ? [] : [{ row: row.number, text: `${path} has row ${first} already` }];
  });
}

/** Finds files by the paths of rows. Each of their folders is listed once. */
class RowPaths {
  readonly #finding: Finding;
  readonly #places: Places;

  constructor(finding: Finding) {
    this.#finding = finding;
    this.#places = new Places(finding);
  }

  /** A text is the reason why there is none. */
  async find(rows: readonly TableRow[]): Promise<ReadonlyMap<TableRow, FileRecord | string>> {
    const found = new Map<TableRow, FileRecord | string>();
    const folders = new Map<string, { readonly path: PlatformPath; readonly rows: [TableRow, string][] }>();
    for (const row of rows) {
      const path = row.path === undefined ? NO_FILE : this.#pathOf(row.path);
      if (typeof path === 'string') {
        found.set(row, path);
        continue;
      }
      const folder = { project: path.project, names: path.names.slice(0, -1) };
      const key = describePath(folder);
      const known = folders.get(key) ?? { path: folder, rows: [] };
      folders.set(key, known);
      known.rows.push([row, path.names.at(-1) ?? '']);
    }
    for (const { path, rows: inFolder } of folders.values()) {
      const files = await this.#filesIn(path);
      for (const [row, name] of inFolder)
        found.set(row, typeof files === 'string' ? files : (files.get(name) ?? `${row.path}: no such file`));
    }
    return found;
  }

  #pathOf(text: string): PlatformPath | string {
    if (isPlatformPath(text)) {
      const path = parsePlatformPath(text);
      return path !== undefined && path.names.length > 0 ? path : `${text}: no path of a file in a project`;
    }
    const { base } = this.#finding;
    if (text.startsWith('/') || text.split('/').some((name) => name === '..' || name === ''))
      return `${text}: neither project:owner/name/… nor a path below the folder of --in`;
    if (base === undefined) return `${text}: name the folder that this path begins in by --in`;
    const names = text.split('/').filter((name) => name !== '.');
    return { project: base.project, names: [...base.names, ...names] };
  }

  async #filesIn(path: PlatformPath): Promise<ReadonlyMap<string, FileRecord> | string> {
    const { base } = this.#finding;
    const isBase = base !== undefined && describePath(base) === describePath(path);
    try {
      const folder = isBase ? base : await this.#places.folder(path);
      const entries = await listFolder(folder, this.#finding);
      return new Map(entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.name, entry]] : [])));
    } catch (error) {
      if (error instanceof MissingError) return error.message;
      throw error;
    }
  }
}
