import type { Kysely, Selectable } from 'kysely';
import type { FileMetadata } from '../../../contract/file.ts';
import { PreparedQuery } from '../../store/prepared-query.ts';
import type { FileMetadataTable, FileTagsTable, Schema } from '../../store/schema.ts';

/** The facts kept beside a file's row; empty on folders. */
export interface FileDetails {
  readonly metadata: FileMetadata;
  readonly tags: string[];
}

interface Queries {
  readonly pairs: PreparedQuery<Ids, Selectable<FileMetadataTable>>;
  readonly tags: PreparedQuery<Ids, Selectable<FileTagsTable>>;
}

type Ids = Readonly<Record<number, string>>;

/** Beyond the files of a page queries are few and large, and not kept. */
const MOST_PREPARED = 100;

/** Reads the metadata and tags of many files: two queries, prepared for each number of files that pages have. */
export class FileDetailsReader {
  readonly #db: Kysely<Schema>;
  readonly #queries = new Map<number, Queries>();

  constructor(db: Kysely<Schema>) {
    this.#db = db;
  }

  /** By id. */
  async read(ids: readonly string[]): Promise<(id: string) => FileDetails> {
    if (ids.length === 0) return noDetails;
    const queries = this.#queriesFor(ids.length);
    const [pairs, tags] = await Promise.all([queries.pairs.all(ids), queries.tags.all(ids)]);
    if (pairs.length === 0 && tags.length === 0) return noDetails;
    const pairsOf = grouped(pairs);
    const tagsOf = grouped(tags);
    return (id) => ({
      metadata: Object.fromEntries((pairsOf.get(id) ?? []).map(({ key, value }) => [key, value])),
      tags: (tagsOf.get(id) ?? []).map(({ tag }) => tag),
    });
  }

  #queriesFor(count: number): Queries {
    const queries = this.#queries.get(count) ?? queriesFor(this.#db, count);
    if (count <= MOST_PREPARED) this.#queries.set(count, queries);
    return queries;
  }
}

function queriesFor(db: Kysely<Schema>, count: number): Queries {
  const places = Array.from({ length: count }, (_, n) => n);
  return {
    pairs: new PreparedQuery(db, (on, id) =>
      on.selectFrom('file_metadata').selectAll().where('file_id', 'in', places.map(id)),
    ),
    tags: new PreparedQuery(db, (on, id) =>
      on
        .selectFrom('file_tags')
        .selectAll()
        .where('file_id', 'in', places.map(id))
        .orderBy('file_id')
        .orderBy('position'),
    ),
  };
}

const noDetails = (): FileDetails => ({ metadata: {}, tags: [] });

function grouped<Row extends { file_id: string }>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(row.file_id);
    if (group === undefined) groups.set(row.file_id, [row]);
    else group.push(row);
  }
  return groups;
}
