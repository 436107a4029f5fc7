/**
 * The outputs of a task become files of its project: first the bytes, each content once, then in one transaction the
 * records. Until then nobody sees any of them.
 */

import { Readable } from 'node:stream';
import type { FileMetadata } from '../../contract/file.ts';
import type { TaskValues } from '../../contract/task.ts';
import type { HasClock } from '../../lib/clock.ts';
import { Patience } from '../../lib/patience.ts';
import { randomId } from '../../lib/random-id.ts';
import type { HasLogger } from '../../observe/logger.ts';
import { type EngineResult, TaskFailure } from '../engines/task-engine.ts';
import { blobGarbageIn, type FileRow, filesIn, freeNumberedNames, newFile } from '../files/files.ts';
import type { HasBlobs, StoredBlob } from '../storage/blobs/blob-store.ts';
import type { HasStore, Store } from '../store/store.ts';
import { outputMetadata } from './output-metadata.ts';
import { outputFileName, outputFolderName } from './output-names.ts';
import { storeUnclaimed } from './unclaimed-blob.ts';

/** A file as an engine tells of it. */
interface MadeFile {
  readonly class: 'File';
  readonly basename?: string;
  readonly location?: string;
  /** In place of a location: a small text. */
  readonly contents?: string;
  readonly metadata?: unknown;
  readonly secondaryFiles?: readonly MadeEntry[];
}

interface MadeFolder {
  readonly class: 'Directory';
  readonly basename?: string;
  readonly listing?: readonly MadeEntry[];
}

type MadeEntry = MadeFile | MadeFolder;

/** The bytes of outputs, by what says where they were. */
export type StoredOutputs = ReadonlyMap<string, StoredBlob>;

/** For one file, from its first failure on. */
const PATIENCE = { timeoutMs: 60_000, backoff: { baseMs: 1000, capMs: 10_000 } } as const;

/** Keeps the bytes of all files among the outputs, to be claimed by `placeOutputs`. */
export async function storeOutputBytes(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  result: EngineResult,
  signal: AbortSignal,
): Promise<StoredOutputs> {
  const stored = new Map<string, StoredBlob>();
  for (const file of madeFiles(result.outputs)) {
    const source = sourceOf(file);
    if (stored.has(source)) continue;
    stored.set(source, await storePatiently(services, () => bytesOf(file, result), signal));
  }
  return stored;
}

async function bytesOf({ location, contents = '' }: MadeFile, result: EngineResult): Promise<Readable> {
  return location === undefined ? Readable.from([contents]) : result.open(location);
}

/** Hours of work are not thrown away because a connection breaks, or a store or the database is away for a moment. */
async function storePatiently(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  open: () => Promise<Readable>,
  signal: AbortSignal,
): Promise<StoredBlob> {
  const { clock, logger } = services;
  const patience = new Patience({ clock, ...PATIENCE });
  for (;;) {
    signal.throwIfAborted();
    try {
      return await storeUnclaimed(services, await open());
    } catch (err) {
      if (err instanceof TaskFailure || !(await patience.anotherTry(signal))) throw err;
      logger.warn({ err }, 'output of a task not stored yet');
    }
  }
}

function madeFiles(value: unknown): MadeFile[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(madeFiles);
  return isMade(value) && value.class === 'File' ? [value, ...inner] : inner;
}

function sourceOf({ location, contents }: MadeFile): string {
  if (location === undefined && contents === undefined) throw new TaskFailure('An output has no location.');
  return location === undefined ? `contents:${contents}` : `location:${location}`;
}

function isMade(value: object): value is MadeEntry {
  return 'class' in value && (value.class === 'File' || value.class === 'Directory');
}

export interface OutputPlace {
  readonly folder: FileRow;
  readonly taskId: string;
  /** The user who ran the task, and so made its outputs. */
  readonly createdBy: string;
  readonly now: string;
  readonly stored: StoredOutputs;
  /** The metadata that the app declares for the files of an output. */
  readonly metadataOf: (output: string) => FileMetadata;
}

/** Makes the records, inside a transaction, and answers the outputs with the files' ids. */
export async function placeOutputs(tx: Store, outputs: TaskValues, place: OutputPlace): Promise<TaskValues> {
  const placed: [string, unknown][] = [];
  for (const { key } of place.stored.values()) await blobGarbageIn(tx).forget(key);
  for (const [name, value] of Object.entries(outputs)) {
    placed.push([name, await new Placing(tx, place, place.metadataOf(name)).value(value)]);
  }
  return Object.fromEntries(placed);
}

/** Puts the files of one output in place. */
class Placing {
  readonly #tx: Store;
  readonly #place: OutputPlace;
  readonly #metadata: FileMetadata;

  constructor(tx: Store, place: OutputPlace, metadata: FileMetadata) {
    this.#tx = tx;
    this.#place = place;
    this.#metadata = metadata;
  }

  async value(value: unknown): Promise<unknown> {
    if (typeof value !== 'object' || value === null) return value;
    if (isMade(value)) return this.#top(value);
    if (Array.isArray(value)) {
      const values: unknown[] = [];
      for (const each of value) values.push(await this.value(each));
      return values;
    }
    const fields: [string, unknown][] = [];
    for (const [key, inner] of Object.entries(value)) fields.push([key, await this.value(inner)]);
    return Object.fromEntries(fields);
  }

  /** An output whose name is taken gets a number before it, the same for a file and its secondary ones. */
  async #top(entry: MadeEntry): Promise<unknown> {
    const { folder } = this.#place;
    const secondary = entry.class === 'File' ? (entry.secondaryFiles ?? []) : [];
    const [name = '', ...others] = await freeNumberedNames(
      this.#tx,
      folder.id,
      [entry, ...secondary].map(nameOf),
    );
    const placed = await this.#entry(entry, folder, name);
    const beside: unknown[] = [];
    for (const [at, each] of secondary.entries())
      beside.push(await this.#entry(each, folder, others[at] ?? ''));
    return beside.length === 0 ? placed : { ...placed, secondaryFiles: beside };
  }

  async #entry(entry: MadeEntry, folder: FileRow, name: string): Promise<object> {
    const row = entry.class === 'File' ? this.#fileRow(entry, folder, name) : this.#folderRow(folder, name);
    await filesIn(this.#tx).insert(row);
    if (entry.class === 'File') {
      await filesIn(this.#tx).mergeMetadata(row.id, { ...this.#metadata, ...outputMetadata(entry.metadata) });
    } else await this.#listing(entry, row);
    return { class: entry.class, path: row.id, name };
  }

  async #listing({ listing = [] }: MadeFolder, folder: FileRow): Promise<void> {
    for (const each of listing) {
      const inside = each.class === 'File' ? [each, ...(each.secondaryFiles ?? [])] : [each];
      for (const entry of inside) {
        const [name = ''] = await freeNumberedNames(this.#tx, folder.id, [nameOf(entry)]);
        await this.#entry(entry, folder, name);
      }
    }
  }

  #fileRow(file: MadeFile, folder: FileRow, name: string): FileRow {
    const blob = this.#place.stored.get(sourceOf(file));
    if (blob === undefined) throw new Error(`the bytes of the output ${name} were not stored`);
    return newFile({
      ...this.#common(folder, name),
      size: blob.sizeBytes,
      blob_key: blob.key,
      etag: blob.etag,
      origin_task: this.#place.taskId,
    });
  }

  #folderRow(folder: FileRow, name: string): FileRow {
    return newFile({ ...this.#common(folder, name), kind: 'folder' });
  }

  #common(folder: FileRow, name: string) {
    const { createdBy, now } = this.#place;
    const { id: parent_id, project_id } = folder;
    return { id: randomId(), project_id, parent_id, name, created_by: createdBy, created_on: now };
  }
}

function nameOf(entry: MadeEntry): string {
  const { basename = entry.class === 'File' ? 'file' : 'folder' } = entry;
  return entry.class === 'File' ? outputFileName(basename) : outputFolderName(basename);
}
