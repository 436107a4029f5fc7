/**
 * The output of a task's tools: written to a file while they run, and shown in the project as `__logs/NAME~ID.log`, anew
 * whenever there is more. A file of the platform never changes, so each time it is another file.
 */

import { type FileHandle, open } from 'node:fs/promises';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import type { EngineLog } from '../engines/task-engine.ts';
import { blobGarbageIn, type FileRow, filesIn, newFile, numbered } from '../files/files.ts';
import { projectsIn } from '../members/members.ts';
import type { HasBlobs, StoredBlob } from '../storage/blobs/blob-store.ts';
import type { HasStore, Store } from '../store/store.ts';
import type { TaskRow } from '../tasks/tasks.ts';
import { outputFileName } from './output-names.ts';
import { storeUnclaimed } from './unclaimed-blob.ts';

const LOGS_FOLDER = '__logs';
const BYTES_MAX = 64 * 1024 * 1024;
const CUT = '\n(The rest of the log is left out.)\n';

export class TaskLog implements EngineLog {
  readonly #path: string;
  readonly #file: FileHandle;
  #written: Promise<unknown> = Promise.resolve();
  #size = 0;
  #shownSize = -1;

  static async open(path: string): Promise<TaskLog> {
    return new TaskLog(path, await open(path, 'w'));
  }

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  get size(): number {
    return this.#size;
  }

  /** Bytes that are not shown yet. */
  get news(): number {
    return this.#size - this.#shownSize;
  }

  write(text: string | Uint8Array): void {
    const bytes = Buffer.from(text);
    const rest = BYTES_MAX - this.#size;
    if (rest <= 0) return;
    this.#size += bytes.length;
    const kept = bytes.length <= rest ? bytes : Buffer.concat([bytes.subarray(0, rest), Buffer.from(CUT)]);
    // A log that cannot be written ends no task: the disk that is full will.
    this.#written = this.#written.then(() => this.#file.writeFile(kept)).catch(() => undefined);
  }

  /** Keeps what there is so far; to be shown by `placeLog`. */
  async store(services: HasStore & HasBlobs & HasClock): Promise<StoredBlob> {
    this.#shownSize = this.#size;
    await this.#written;
    const file = await open(this.#path);
    return storeUnclaimed(services, file.createReadStream());
  }

  async close(): Promise<void> {
    await this.#written;
    await this.#file.close();
  }
}

/** Makes the file of a log, in place of the one before, inside a transaction, and answers its id. */
export async function placeLog(
  tx: Store,
  task: TaskRow,
  { blob, now }: { readonly blob: StoredBlob; readonly now: string },
): Promise<string | undefined> {
  const project = await projectsIn(tx).find(task.project_id);
  if (project === undefined) return undefined;
  const common = { project_id: task.project_id, created_by: task.executed_by ?? '', created_on: now };
  const folder = await logsFolder(tx, { ...common, parent_id: project.root_folder });
  const ending = `~${task.id.slice(0, 8)}.log`;
  const name = outputFileName(task.name).slice(0, 200) + ending;
  const before = await filesIn(tx).findChild(folder.id, name);
  if (before !== undefined) await filesIn(tx).delete(before, now);
  const { key, sizeBytes, etag } = blob;
  const file = newFile({
    ...common,
    id: randomId(),
    parent_id: folder.id,
    name,
    size: sizeBytes,
    blob_key: key,
    etag,
  });
  await filesIn(tx).insert({ ...file, origin_task: task.id });
  await blobGarbageIn(tx).forget(key);
  return file.id;
}

/** Files may have any name, that of the folder too: then it has a number before it. */
async function logsFolder(
  tx: Store,
  place: Pick<FileRow, 'project_id' | 'parent_id' | 'created_by' | 'created_on'>,
): Promise<FileRow> {
  for (let number = 0; ; number += 1) {
    const name = numbered(LOGS_FOLDER, number);
    const known = await filesIn(tx).findChild(place.parent_id ?? '', name);
    if (known?.kind === 'folder') return known;
    if (known !== undefined) continue;
    const folder = newFile({ ...place, id: randomId(), kind: 'folder', name });
    await filesIn(tx).insert(folder);
    return folder;
  }
}
