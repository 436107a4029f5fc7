import type { Api } from '../../src/api/api.ts';
import { NO_BUCKETS } from '../../src/api/buckets/no-buckets.ts';
import type { PageRequest, Priority } from '../../src/api/call-options.ts';
import type { EntryRecord, FileRecord, FolderRecord, Page, VolumeObjectRecord } from '../../src/api/model.ts';
import { deferred } from '../../src/lib/deferred.ts';

const OWNER = 'ada';
const BEGIN_MS = Date.UTC(2024, 0, 1);

/** The platform's error object as the client throws it; the class itself is the client's own. */
export function apiError(status: number, code: number, message: string): Error {
  return Object.assign(new Error(message), {
    name: 'ApiError',
    status,
    code,
    requestId: 'req-1',
    call: 'GET /x',
  });
}

/**
 * A platform in memory for the reading side: one account's projects and volumes. `calls` holds every request in
 * order; `hold` keeps the answers of one call back until the test lets them go.
 */
export class FakeApi {
  readonly calls: string[] = [];
  readonly files = new Map<string, EntryRecord>();
  readonly objects = new Map<string, VolumeObjectRecord>();
  readonly projects = ['one', 'two'];
  readonly volumes = ['bucket'];
  /** Folders that hold so many files without anyone having added them. */
  readonly crowds = new Map<string, number>();
  /** Folders that another client has moved or removed. */
  readonly goneFolders = new Set<string>();
  /** Ids of files that listings tell without a name. */
  readonly unusable = new Set<string>();
  /** Files that bulk calls fail to tell of. */
  readonly unanswered = new Set<string>();
  /** Calls that fail after so many more answers. */
  readonly failing = new Map<string, number>();
  /** Priorities that the rate budget has room for. */
  readonly room = new Set<Priority>();
  /** The rate limit is. */
  spent = false;
  /** Objects of a volume on a page. */
  volumePage = 100;
  /** Keys that its listings pass over and do not tell of, as a store does those of deleted versions. */
  readonly passedOver = new Set<string>();
  #held = new Map<string, { passing: number; readonly released: Promise<void> }>();
  #ids = 0;

  /** The requests made since the last time, by name. */
  taken(): string[] {
    return this.calls.splice(0);
  }

  /** Answers of `call`, but for the next `passing` ones, wait for the function returned here to be called. */
  hold(call: string, passing = 0): () => void {
    const { promise, resolve } = deferred();
    this.#held.set(call, { passing, released: promise });
    return () => {
      this.#held.delete(call);
      resolve();
    };
  }

  rootOf(project: string): string {
    return `root-${project}`;
  }

  addFile(parent: string, name: string, fields: Partial<FileRecord> = {}): FileRecord {
    const file = { ...fileRecord(parent, name), id: `file-${++this.#ids}`, ...fields };
    this.files.set(file.id, file);
    return file;
  }

  addFolder(parent: string, name: string): FolderRecord {
    const folder: FolderRecord = {
      kind: 'folder',
      id: `folder-${++this.#ids}`,
      name,
      project: `${OWNER}/one`,
      parent,
      createdMs: BEGIN_MS,
      modifiedMs: BEGIN_MS,
    };
    this.files.set(folder.id, folder);
    return folder;
  }

  addFiles(parent: string, count: number): void {
    for (let index = 0; index < count; index++) this.addFile(parent, `f${String(index).padStart(6, '0')}`);
  }

  addObject(location: string, fields: Partial<VolumeObjectRecord> = {}): void {
    const volume = `${OWNER}/bucket`;
    const object = {
      volume,
      location,
      sizeBytes: 5,
      etag: `e-${location}`,
      modifiedMs: BEGIN_MS,
      metadata: {},
    };
    this.objects.set(location, { ...object, ...fields });
  }

  /** A page of a folder as it is now; a test may have others change it before. */
  list = (folder: string, page: PageRequest): Page<EntryRecord> => {
    const total = this.crowds.get(folder);
    if (total === undefined) return pageOf(this.#children(folder), page);
    const length = Math.min(page.limit, total - page.offset);
    const items = Array.from({ length }, (_, index) => fileRecord(folder, `f${1e6 + page.offset + index}`));
    return { items, total };
  };

  /** As the client's interface; a call that no test needs is not there. */
  get api(): Api {
    const hasRoom = (priority: Priority): boolean => this.room.has(priority);
    const api = {
      projects: this.#projects(),
      files: this.#files(),
      volumes: this.#volumes(),
      buckets: NO_BUCKETS,
      hasRoom,
      isSpent: () => this.spent,
      isKnownToOffer: () => false,
    };
    return api as unknown as Api;
  }

  async #answer<T>(call: string, signal: AbortSignal | undefined, make: () => T): Promise<T> {
    this.calls.push(call);
    const held = this.#held.get(call);
    if (held && held.passing-- <= 0)
      await (signal ? Promise.race([held.released, aborted(signal)]) : held.released);
    signal?.throwIfAborted();
    const answers = this.failing.get(call);
    if (answers !== undefined) this.failing.set(call, answers - 1);
    if (answers === 0) throw new Error(`no answer to ${call}`);
    return make();
  }

  #requireFolder(id: string): void {
    if (this.goneFolders.has(id)) throw apiError(404, 5002, 'No file has that id.');
  }

  #children(parent: string): EntryRecord[] {
    const children = [...this.files.values()].filter((entry) => entry.parent === parent);
    return children.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }

  #projects(): Partial<Api['projects']> {
    const summary = (name: string) => ({ id: `${OWNER}/${name}`, owner: OWNER, shortName: name, name });
    return {
      list: (page, options) =>
        this.#answer('projects.list', options?.signal, () => pageOf(this.projects.map(summary), page)),
      get: (id, options) =>
        this.#answer('projects.get', options?.signal, () => ({
          ...summary(nameIn(this.projects, id, 3002)),
          description: '',
          tags: [],
          settings: {},
          permissions: { read: true, write: true, copy: true, execute: true, admin: true },
          billingGroup: undefined,
          createdBy: OWNER,
          createdMs: BEGIN_MS,
          modifiedMs: BEGIN_MS,
          rootFolder: this.rootOf(id.split('/')[1] ?? ''),
        })),
      edit: (_id, _changes, options) => this.#answer('projects.edit', options?.signal, () => undefined),
    };
  }

  #files(): Partial<Api['files']> {
    const file = (id: string): FileRecord => {
      const entry = this.files.get(id);
      if (entry?.kind !== 'file') throw apiError(404, 5002, 'no such file');
      return entry;
    };
    const change = (id: string, fields: Partial<FileRecord>): FileRecord => {
      const changed = { ...file(id), ...fields };
      this.files.set(id, changed);
      return changed;
    };
    return {
      get: (id, options) => this.#answer('files.get', options?.signal, () => file(id)),
      find: (place, options) =>
        this.#answer('files.find', options?.signal, () => {
          const parent = 'parent' in place ? place.parent : this.rootOf(place.project.split('/')[1] ?? '');
          this.#requireFolder(parent);
          return this.#children(parent).find((entry) => entry.name === place.name);
        }),
      list: (folder, page, options) =>
        this.#answer('files.list', options?.signal, () => {
          this.#requireFolder(folder);
          const { items, total } = this.list(folder, page);
          const usable = items.filter(({ id }) => !this.unusable.has(id));
          if (usable.length < items.length) options?.onUnusable?.('the answer has no name');
          return { items: usable, total, leftOut: items.length - usable.length };
        }),
      bulkGet: (ids, options) =>
        this.#answer('files.bulkGet', options?.signal, () =>
          ids.map((id) => {
            const value = this.unanswered.has(id) ? undefined : this.files.get(id);
            const failure = this.unanswered.has(id)
              ? { status: 503, code: 0, message: 'come again' }
              : { status: 404, code: 5002, message: 'no such file' };
            return value ? { ok: true as const, value } : { ok: false as const, failure };
          }),
        ),
      patchMetadata: (id, pairs, options) =>
        this.#answer('files.patchMetadata', options?.signal, () => {
          return change(id, { metadata: { ...file(id).metadata, ...pairs } }).metadata;
        }),
      putMetadata: (id, metadata, options) =>
        this.#answer('files.putMetadata', options?.signal, () => change(id, { metadata }).metadata),
      putTags: (id, tags, options) =>
        this.#answer('files.putTags', options?.signal, () => change(id, { tags }).tags),
    };
  }

  #volumes(): Partial<Api['volumes']> {
    const summary = (name: string) => ({ id: `${OWNER}/${name}`, owner: OWNER, name });
    return {
      list: (page, options) =>
        this.#answer('volumes.list', options?.signal, () => pageOf(this.volumes.map(summary), page)),
      get: (id, options) =>
        this.#answer('volumes.get', options?.signal, () => ({
          ...summary(nameIn(this.volumes, id, 9007)),
          description: '',
          accessMode: 'RW' as const,
          active: true,
          serviceType: 'S3',
          bucket: 'bucket',
          prefix: '',
          endpoint: undefined,
          createdMs: BEGIN_MS,
          modifiedMs: BEGIN_MS,
        })),
      object: (_volume, location, options) =>
        this.#answer('volumes.object', options?.signal, () => this.objects.get(location)),
      contents: (_volume, { prefix, continuation }, options) =>
        this.#answer('volumes.contents', options?.signal, () =>
          this.#contents(prefix, Number(continuation ?? 0)),
        ),
    };
  }

  #contents(prefix: string, offset: number) {
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix)).sort();
    const level = (key: string): string => {
      const slash = key.indexOf('/', prefix.length);
      return slash < 0 ? key : key.slice(0, slash + 1);
    };
    const names = [...new Set(keys.map(level))];
    const page = names.slice(offset, offset + this.volumePage).filter((name) => !this.passedOver.has(name));
    const end = offset + this.volumePage;
    return {
      objects: page.filter((name) => !isPrefix(name, prefix)).map((name) => this.objects.get(name)!),
      prefixes: page.filter((name) => isPrefix(name, prefix)),
      continuation: end < names.length ? String(end) : undefined,
    };
  }
}

function fileRecord(parent: string, name: string): FileRecord {
  return {
    kind: 'file',
    id: `${parent}/${name}`,
    name,
    project: `${OWNER}/one`,
    parent,
    sizeBytes: 10,
    createdMs: BEGIN_MS,
    modifiedMs: BEGIN_MS,
    storage: { kind: 'platform', locations: [] },
    originTask: undefined,
    originDataset: undefined,
    tags: [],
    metadata: {},
  };
}

/** The name of the one among `names` that has this id; to the user there is no other. */
function nameIn(names: readonly string[], id: string, code: number): string {
  const name = names.find((each) => `${OWNER}/${each}` === id);
  if (name === undefined) throw apiError(404, code, `You have no ${id}.`);
  return name;
}

/** A key that is the level itself ends in `/` too. */
function isPrefix(name: string, level: string): boolean {
  return name.endsWith('/') && name !== level;
}

function pageOf<T>(all: readonly T[], { offset, limit }: PageRequest): Page<T> {
  return { items: all.slice(offset, offset + limit), total: all.length };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
