/** Compares what a manifest pins with what the platform has now, without a mount. */
import { createHash, type Hash } from 'node:crypto';
import PQueue from 'p-queue';
import type { Api } from '../../api/api.ts';
import type { BulkResult, EntryRecord } from '../../api/model.ts';
import type { ContentReader, ContentVersion, OpenVersion } from '../../content/ports.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { messageOf } from '../../lib/message-of.ts';
import { changeOfFile, changeOfObject, type PinnedFile } from '../../vfs/model/pin.ts';

export interface Verdict {
  readonly path: string;
  readonly state: 'ok' | 'changed' | 'missing' | 'failed';
  /** Why it is not ok, or what was not compared. */
  readonly note: string | undefined;
}

interface VerifyParts {
  readonly api: Pick<Api, 'files' | 'volumes'>;
  readonly reader: ContentReader;
  readonly factsOnly: boolean;
  readonly signal: AbortSignal;
}

type Told = BulkResult<EntryRecord> | undefined;

const FILES_AT_ONCE = 4;
const READ_BYTES = 1024 * 1024;
const NOT_FOUND = 404;

/** A verdict for each file, in the order of the manifest. 100 files are asked about in one request. */
export async function* verifyManifest(
  files: readonly PinnedFile[],
  parts: VerifyParts,
): AsyncGenerator<Verdict> {
  const queue = new PQueue({ concurrency: FILES_AT_ONCE });
  for (const group of inGroups(files, BULK_ITEMS_MAX)) {
    const told = await toldOf(group, parts);
    const verdicts = group.map((file) => queue.add(() => verdictOf(file, told.get(file), parts)));
    for (const verdict of verdicts) yield await verdict;
  }
}

async function toldOf(
  files: readonly PinnedFile[],
  { api, signal }: VerifyParts,
): Promise<ReadonlyMap<PinnedFile, Told>> {
  const asked = files.filter(({ id }) => id !== undefined);
  if (asked.length === 0) return new Map();
  const ids = asked.map(({ id }) => id ?? '');
  const results = await api.files.bulkGet(ids, { signal });
  return new Map(asked.map((file, index) => [file, results[index]]));
}

async function verdictOf(file: PinnedFile, told: Told, parts: VerifyParts): Promise<Verdict> {
  const { path } = file;
  try {
    const facts = await verdictByFacts(file, told, parts);
    if (facts !== undefined) return facts;
    if (parts.factsOnly) return { path, state: 'ok', note: undefined };
    if (Object.keys(file.checksums ?? {}).length === 0)
      return { path, state: 'ok', note: 'no checksum is pinned: the bytes were not read' };
    const change = await changeOfBytes(file, parts);
    return { path, state: change === undefined ? 'ok' : 'changed', note: change };
  } catch (error) {
    parts.signal.throwIfAborted();
    return { path, state: 'failed', note: messageOf(error) };
  }
}

/** Undefined: as it was pinned, as far as can be told without its bytes. */
async function verdictByFacts(
  file: PinnedFile,
  told: Told,
  { api, signal }: VerifyParts,
): Promise<Verdict | undefined> {
  const { path, id, object } = file;
  if (id === undefined && object) {
    const record = await api.volumes.object(object.volume, object.location, { signal });
    const state = record && { etag: record.etag, sizeBytes: record.sizeBytes ?? file.sizeBytes };
    const change = changeOfObject(file, state);
    return change === undefined ? undefined : { path, state: record ? 'changed' : 'missing', note: change };
  }
  if (told && !told.ok && told.failure.status !== NOT_FOUND)
    return { path, state: 'failed', note: told.failure.message };
  const record = told?.ok ? told.value : undefined;
  const change = changeOfFile(file, record);
  return change === undefined ? undefined : { path, state: record ? 'changed' : 'missing', note: change };
}

async function changeOfBytes(file: PinnedFile, { reader, signal }: VerifyParts): Promise<string | undefined> {
  const version = versionOf(file);
  const view = reader.open(version);
  try {
    const object = version.kind === 'alias' ? await view.inspect(signal) : undefined;
    const change = object && changeOfObject(file, object);
    if (change !== undefined) return change;
    const hashes = Object.keys(file.checksums ?? {}).map((name) => [name, createHash(name)] as const);
    await hashAll(
      view,
      hashes.map(([, hash]) => hash),
      signal,
    );
    const wrong = hashes
      .map(([name, hash]) => ({ name, is: hash.digest('hex') }))
      .find(({ name, is }) => is !== file.checksums?.[name]);
    return wrong && `${wrong.name} is ${wrong.is}, and ${file.checksums?.[wrong.name]} is pinned`;
  } finally {
    view.close();
  }
}

async function hashAll(view: OpenVersion, hashes: readonly Hash[], signal: AbortSignal): Promise<void> {
  const { sizeBytes } = view.version;
  for (let offset = 0; offset < sizeBytes; ) {
    const { chunks, release } = await view.read(offset, READ_BYTES, { signal });
    try {
      for (const chunk of chunks) for (const hash of hashes) hash.update(chunk);
    } finally {
      release?.();
    }
    const got = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    if (got === 0) throw new Error(`it ends after ${offset} of ${sizeBytes} bytes`);
    offset += got;
  }
}

function versionOf({ id, object, sizeBytes }: PinnedFile): ContentVersion {
  if (id === undefined && object) return { kind: 'object', etag: undefined, ...object, sizeBytes };
  if (object) return { kind: 'alias', fileId: id ?? '', ...object, sizeBytes };
  return { kind: 'file', fileId: id ?? '', sizeBytes };
}
