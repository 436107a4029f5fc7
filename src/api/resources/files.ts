import { PAGE_LIMIT_MAX } from '../../contract/limits.ts';
import type { FileEdit, FilesApi } from '../api.ts';
import type { CallOptions, ListOptions, PageRequest, Place } from '../call-options.ts';
import type {
  BulkResult,
  EntryRecord,
  FileRecord,
  FileSearch,
  FolderRecord,
  FoundFiles,
  Page,
} from '../model.ts';
import { parseBulk } from '../parse/failure.ts';
import {
  ENTRY_FIELDS,
  parseEntry,
  parseFile,
  parseFolder,
  parseListed,
  parseMetadata,
  parseTags,
} from '../parse/file.ts';
import { parseFound, searchQuery } from '../parse/file-search.ts';
import { parsePage } from '../parse/page.ts';
import { asObject, objectAt, urlAt } from '../parse/wire.ts';
import type { Caller } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import type { ServerTime } from '../transport/server-time.ts';
import { createdFromNowOn } from './created-from-now-on.ts';
import { callForFile, withSize, withSizes } from './file-details.ts';
import { isGone } from './is-gone.ts';

type Pairs = Readonly<Record<string, string>>;
type OverwriteOptions = CallOptions & { readonly overwrite?: boolean };

/** The files calls (undocumented-calls, 1.2 to 1.5). */
export class FilesClient implements FilesApi {
  readonly #call: Caller;
  readonly #serverTime: ServerTime;

  constructor(call: Caller, serverTime: ServerTime) {
    this.#call = call;
    this.#serverTime = serverTime;
  }

  get(id: string, options?: CallOptions): Promise<EntryRecord> {
    return this.#call({ route: 'GET /files/{id}', path: { id }, parse: parseEntry }, options);
  }

  async find(
    place: Parameters<FilesApi['find']>[0],
    options?: CallOptions,
  ): Promise<EntryRecord | undefined> {
    const { name } = place;
    const folder = 'parent' in place ? { parent: place.parent } : { project: place.project };
    const listed = await this.#call(
      {
        route: 'GET /files',
        // No more of it than a place: a publisher passes the target of an upload.
        query: { ...folder, name, fields: ENTRY_FIELDS },
        parse: (_, answer) => parsePage(answer, 0, parseListed).items.find((each) => each.name === name),
      },
      options,
    );
    return listed && withSize(this.#call, listed, options);
  }

  async list(
    folder: string,
    { offset, limit }: PageRequest,
    options?: ListOptions,
  ): Promise<Page<EntryRecord>> {
    const page = await this.#call(
      {
        route: 'GET /files/{folder}/list',
        path: { folder },
        query: { offset, limit, fields: ENTRY_FIELDS },
        parse: (_, answer) => parsePage(answer, offset, parseListed, options?.onUnusable),
      },
      options,
    );
    return withSizes(this.#call, page, options);
  }

  search(search: FileSearch, options?: CallOptions): Promise<FoundFiles> {
    return this.#call(
      {
        route: 'POST /files/search',
        onlyLooks: true,
        query: { limit: PAGE_LIMIT_MAX, cont_token: search.continuation, fields: ENTRY_FIELDS },
        body: { json: { query: searchQuery(search) } },
        parse: parseFound,
      },
      options,
    );
  }

  edit(
    id: string,
    changes: Parameters<FilesApi['edit']>[1],
    options?: OverwriteOptions,
  ): Promise<FileRecord> {
    return callForFile(
      this.#call,
      {
        route: 'PATCH /files/{id}',
        path: { id },
        query: { overwrite: options?.overwrite || undefined },
        body: { json: changes },
      },
      options,
    );
  }

  move(id: string, { parent, name }: Place, options?: OverwriteOptions): Promise<FileRecord> {
    return lookBeforeRepeating(
      (timed) =>
        callForFile(
          this.#call,
          {
            route: 'POST /files/{id}/actions/move',
            path: { id },
            query: { overwrite: options?.overwrite || undefined },
            body: { json: { parent, name } },
            whenLost: 'once',
          },
          timed,
        ),
      async (timed) => {
        const entry = await this.get(id, timed);
        return entry.kind === 'file' && entry.parent === parent && entry.name === name ? entry : undefined;
      },
      this.#call.repetition(options),
    );
  }

  copy(
    id: string,
    { parent, name, metadata, tags }: Parameters<FilesApi['copy']>[1],
    options?: CallOptions,
  ): Promise<FileRecord> {
    const isOurs = createdFromNowOn(this.#serverTime);
    return lookBeforeRepeating(
      (timed) =>
        callForFile(
          this.#call,
          {
            route: 'POST /files/{id}/actions/copy',
            path: { id },
            body: { json: { parent, name, ...(metadata && { metadata }), ...(tags && { tags }) } },
            whenLost: 'once',
          },
          timed,
        ),
      async (timed) => {
        const entry = await this.find({ parent, name }, timed);
        return entry?.kind === 'file' && isOurs(entry) ? entry : undefined;
      },
      this.#call.repetition(options),
    );
  }

  async delete(id: string, options?: CallOptions): Promise<void> {
    await lookBeforeRepeating(
      (timed) =>
        this.#call(
          { route: 'DELETE /files/{id}', path: { id }, whenLost: 'once', parse: () => true as const },
          timed,
        ),
      (timed) => isGone(this.get(id, timed)),
      this.#call.repetition(options),
    );
  }

  createFolder({ parent, name }: Place, options?: CallOptions): Promise<FolderRecord> {
    const isOurs = createdFromNowOn(this.#serverTime);
    return lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: 'POST /files',
            body: { json: { parent, name, type: 'folder' } },
            whenLost: 'once',
            parse: parseFolder,
          },
          timed,
        ),
      async (timed) => {
        const entry = await this.find({ parent, name }, timed);
        return entry?.kind === 'folder' && isOurs(entry) ? entry : undefined;
      },
      this.#call.repetition(options),
    );
  }

  patchMetadata(id: string, pairs: Pairs, options?: CallOptions): Promise<Pairs> {
    return this.#call(
      { route: 'PATCH /files/{id}/metadata', path: { id }, body: { json: pairs }, parse: parseMetadata },
      options,
    );
  }

  putMetadata(id: string, pairs: Pairs, options?: CallOptions): Promise<Pairs> {
    return this.#call(
      { route: 'PUT /files/{id}/metadata', path: { id }, body: { json: pairs }, parse: parseMetadata },
      options,
    );
  }

  putTags(id: string, tags: readonly string[], options?: CallOptions): Promise<readonly string[]> {
    return this.#call(
      { route: 'PUT /files/{id}/tags', path: { id }, body: { json: tags }, parse: parseTags },
      options,
    );
  }

  downloadInfo(id: string, options?: CallOptions): Promise<{ readonly url: string }> {
    return this.#call(
      {
        route: 'GET /files/{id}/download_info',
        path: { id },
        parse: (body, answer) => ({ url: urlAt(asObject(body, 'address'), 'url', answer) }),
      },
      options,
    );
  }

  downloadInfoAndFile(
    id: string,
    options?: CallOptions,
  ): Promise<{ readonly url: string; readonly file: FileRecord }> {
    return this.#call(
      {
        route: 'GET /files/{id}/download_info',
        path: { id },
        query: { file: true },
        parse: (body, answer) => {
          const address = asObject(body, 'address');
          return { url: urlAt(address, 'url', answer), file: parseFile(objectAt(address, 'file')) };
        },
      },
      options,
    );
  }

  bulkGet(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]> {
    return this.#call(
      {
        route: 'POST /bulk/files/get',
        onlyLooks: true,
        body: { json: { file_ids: ids } },
        parse: (body) => parseBulk(body, parseEntry),
      },
      options,
    );
  }

  /** Sent again after a lost answer it has the same effect. */
  bulkEdit(edits: readonly FileEdit[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]> {
    return this.#call(
      {
        route: 'POST /bulk/files/edit',
        body: { json: { items: edits } },
        parse: (body) => parseBulk(body, parseEntry),
      },
      options,
    );
  }

  /** As `bulkEdit`. */
  bulkUpdate(edits: readonly FileEdit[], options?: CallOptions): Promise<readonly BulkResult<EntryRecord>[]> {
    return this.#call(
      {
        route: 'POST /bulk/files/update',
        body: { json: { items: edits } },
        parse: (body) => parseBulk(body, parseEntry),
      },
      options,
    );
  }

  /** Sent again after a lost answer, the entries that went the first time are missing: that is what was asked. */
  async bulkDelete(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<void>[]> {
    let repeated = false;
    const results = await lookBeforeRepeating(
      (timed) =>
        this.#call(
          {
            route: 'POST /bulk/files/delete',
            body: { json: { file_ids: ids } },
            whenLost: 'once',
            parse: (body) => parseBulk(body, () => undefined),
          },
          timed,
        ),
      async () => {
        repeated = true;
        return undefined;
      },
      this.#call.repetition(options),
    );
    return results.map((each) =>
      repeated && !each.ok && each.failure.status === 404 ? { ok: true, value: undefined } : each,
    );
  }
}
