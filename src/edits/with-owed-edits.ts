/**
 * The API of the platform to one who reads and changes it while edits are owed: what it tells of a file is shown with them,
 * and a call that needs the platform to have them waits for that. So no caller need know of them.
 *
 * A removal takes what is owed along. A search, and work on folders, wait for all.
 */
import type { Api, AsyncFilesApi, FilesApi, TransfersApi } from '../api/api.ts';
import type { CallOptions } from '../api/call-options.ts';
import type { BulkResult, EntryRecord } from '../api/model.ts';
import type { OwedEdits } from './owed-edits.ts';

export function withOwedEdits<A extends Api>(api: A, edits: OwedEdits): A {
  return {
    ...api,
    files: new FilesWithEdits(api.files, edits),
    transfers: transfersAfter(api.transfers, edits),
    asyncFiles: asyncFilesAfter(api.asyncFiles, edits),
  };
}

/** Waits until nothing is owed to these files; to any, when none are named. */
async function settled(
  edits: OwedEdits,
  options: CallOptions = {},
  files?: readonly string[],
): Promise<void> {
  const { signal, untilSent } = options;
  const ends = [signal, untilSent].filter((each) => each !== undefined);
  const isMeant = files && new Set(files);
  await edits.settle(
    ({ file }) => isMeant?.has(file) !== false,
    ends.length > 1 ? AbortSignal.any(ends) : ends[0],
  );
}

class FilesWithEdits implements FilesApi {
  readonly #files: FilesApi;
  readonly #edits: OwedEdits;

  constructor(files: FilesApi, edits: OwedEdits) {
    this.#files = files;
    this.#edits = edits;
  }

  async get(...[id, options]: Parameters<FilesApi['get']>): ReturnType<FilesApi['get']> {
    return this.#edits.shown(await this.#files.get(id, options));
  }

  async find(...[place, options]: Parameters<FilesApi['find']>): ReturnType<FilesApi['find']> {
    const found = await this.#files.find(place, options);
    return found && this.#edits.shown(found);
  }

  async list(...[folder, page, options]: Parameters<FilesApi['list']>): ReturnType<FilesApi['list']> {
    const listed = await this.#files.list(folder, page, options);
    return { ...listed, items: listed.items.map((entry) => this.#edits.shown(entry)) };
  }

  async search(...[search, options]: Parameters<FilesApi['search']>): ReturnType<FilesApi['search']> {
    await settled(this.#edits, options);
    return this.#files.search(search, options);
  }

  async edit(...[id, changes, options]: Parameters<FilesApi['edit']>): ReturnType<FilesApi['edit']> {
    await this.#settled(id, options);
    return this.#edits.shown(await this.#files.edit(id, changes, options));
  }

  async move(...[id, to, options]: Parameters<FilesApi['move']>): ReturnType<FilesApi['move']> {
    await this.#settled(id, options);
    return this.#edits.shown(await this.#files.move(id, to, options));
  }

  async copy(...[id, to, options]: Parameters<FilesApi['copy']>): ReturnType<FilesApi['copy']> {
    await this.#settled(id, options);
    return this.#files.copy(id, to, options);
  }

  delete(...[id, options]: Parameters<FilesApi['delete']>): ReturnType<FilesApi['delete']> {
    return this.#edits.whileLeaving(
      [id],
      () => this.#files.delete(id, options),
      () => [id],
    );
  }

  createFolder(...given: Parameters<FilesApi['createFolder']>): ReturnType<FilesApi['createFolder']> {
    return this.#files.createFolder(...given);
  }

  async patchMetadata(
    ...[id, pairs, options]: Parameters<FilesApi['patchMetadata']>
  ): ReturnType<FilesApi['patchMetadata']> {
    await this.#settled(id, options);
    return this.#files.patchMetadata(id, pairs, options);
  }

  async putMetadata(
    ...[id, pairs, options]: Parameters<FilesApi['putMetadata']>
  ): ReturnType<FilesApi['putMetadata']> {
    await this.#settled(id, options);
    return this.#files.putMetadata(id, pairs, options);
  }

  async putTags(...[id, tags, options]: Parameters<FilesApi['putTags']>): ReturnType<FilesApi['putTags']> {
    await this.#settled(id, options);
    return this.#files.putTags(id, tags, options);
  }

  downloadInfo(...given: Parameters<FilesApi['downloadInfo']>): ReturnType<FilesApi['downloadInfo']> {
    return this.#files.downloadInfo(...given);
  }

  async downloadInfoAndFile(
    ...given: Parameters<FilesApi['downloadInfoAndFile']>
  ): ReturnType<FilesApi['downloadInfoAndFile']> {
    const { url, file } = await this.#files.downloadInfoAndFile(...given);
    return { url, file: this.#edits.shown(file) };
  }

  async bulkGet(...given: Parameters<FilesApi['bulkGet']>): ReturnType<FilesApi['bulkGet']> {
    return this.#shown(await this.#files.bulkGet(...given));
  }

  async bulkEdit(...[changes, options]: Parameters<FilesApi['bulkEdit']>): ReturnType<FilesApi['bulkEdit']> {
    await settled(this.#edits, options, idsOf(changes));
    return this.#shown(await this.#files.bulkEdit(changes, options));
  }

  async bulkUpdate(
    ...[changes, options]: Parameters<FilesApi['bulkUpdate']>
  ): ReturnType<FilesApi['bulkUpdate']> {
    await settled(this.#edits, options, idsOf(changes));
    return this.#shown(await this.#files.bulkUpdate(changes, options));
  }

  bulkDelete(...[ids, options]: Parameters<FilesApi['bulkDelete']>): ReturnType<FilesApi['bulkDelete']> {
    return this.#edits.whileLeaving(
      ids,
      () => this.#files.bulkDelete(ids, options),
      (results) => ids.filter((_, index) => results[index]?.ok),
    );
  }

  async #settled(id: string, options: CallOptions | undefined): Promise<void> {
    if (this.#edits.owes(id)) await settled(this.#edits, options, [id]);
  }

  #shown(results: readonly BulkResult<EntryRecord>[]): readonly BulkResult<EntryRecord>[] {
    return results.map((each) => (each.ok ? { ok: true, value: this.#edits.shown(each.value) } : each));
  }
}

function idsOf(changes: readonly { readonly id: string }[]): readonly string[] {
  return changes.map(({ id }) => id);
}

function transfersAfter(transfers: TransfersApi, edits: OwedEdits): TransfersApi {
  return {
    startImports: async (requests, options) => {
      // Which file has a name that is taken is not known here.
      if (requests.some(({ overwrite }) => overwrite)) await settled(edits, options);
      return transfers.startImports(requests, options);
    },
    startExports: async (requests, copyOnly, options) => {
      const files = requests.map(({ file }) => file);
      await settled(edits, options, files);
      return transfers.startExports(requests, copyOnly, options);
    },
    get: (...given) => transfers.get(...given),
  };
}

/** A job may be on any file of a folder: all changes go first. */
function asyncFilesAfter(asyncFiles: AsyncFilesApi, edits: OwedEdits): AsyncFilesApi {
  return {
    start: async (kind, items, options) => {
      await settled(edits, options);
      return asyncFiles.start(kind, items, options);
    },
    get: (...given) => asyncFiles.get(...given),
  };
}
