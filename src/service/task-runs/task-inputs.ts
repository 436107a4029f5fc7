/**
 * The files among the inputs of a task, as an engine takes them: with their metadata, and with the files in folders.
 * Secondary files that the app asks for are files of the same folder, named after the first (CWL v1.2, section 5.1.6).
 */

import type { AppDocument } from '../../contract/app.ts';
import type { TaskValues } from '../../contract/task.ts';
import { portsOf, type SecondaryPattern, secondaryName } from '../apps/apps.ts';
import { type InputEntry, type InputFile, type InputFolder, TaskFailure } from '../engines/task-engine.ts';
import { type FileRow, filesIn } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasBlobs, OpenBlob } from '../storage/blobs/blob-store.ts';
import type { HasSigner } from '../storage/blobs/url-signer.ts';
import type { HasBuckets } from '../storage/buckets/buckets.ts';
import type { HasStore, Store } from '../store/store.ts';
import { type FileValue, outerFilesIn, readableFile, taskFiles, withFiles } from '../tasks/tasks.ts';
import { activeVolume, type HasVolumeSecrets, objectPlace, refuseAsService } from '../volumes/volumes.ts';
import { inputAddress } from './input-address.ts';

const DEPTH_MAX = 50;

interface Inputs {
  readonly document: AppDocument;
  readonly inputs: TaskValues;
}

/** Inputs that are unset are left out. @throws ServiceError 7012, TaskFailure when a file is gone or must not be read */
export async function taskInputs(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner,
  caller: Caller,
  { document, inputs }: Inputs,
): Promise<TaskValues> {
  const files = await taskFiles(services.store, caller, inputs);
  const ready: [string, unknown][] = [];
  for (const port of portsOf(document, 'inputs')) {
    const { [port.name]: value = null } = inputs;
    if (value === null) continue;
    const entries = new Map<FileValue, InputEntry>();
    for (const given of outerFilesIn(value)) {
      const about = { caller, files, patterns: port.secondaryFiles };
      entries.set(given, await inputEntry(services, given, about));
    }
    ready.push([port.name, withFiles(value, (given) => entries.get(given))]);
  }
  return Object.fromEntries(ready);
}

interface InputContext {
  readonly caller: Caller;
  readonly files: ReadonlyMap<string, FileRow>;
  readonly patterns: readonly SecondaryPattern[];
}

async function inputEntry(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner,
  given: FileValue,
  about: InputContext,
): Promise<InputEntry> {
  const row = about.files.get(given.path);
  if (row === undefined) throw new TaskFailure(`The input ${given.path} does not exist.`);
  if (row.kind === 'folder') return inputFolder(services, row, DEPTH_MAX);
  const beside = outerFilesIn(given.secondaryFiles ?? null).flatMap(
    ({ path }) => about.files.get(path) ?? [],
  );
  for (const pattern of about.patterns) {
    const name = secondaryName(row.name, pattern);
    if (beside.some((known) => known.name === name)) continue;
    const sibling = await readableSibling(services.store, about.caller, { of: row, name });
    if (sibling !== undefined) beside.push(sibling);
    else if (pattern.required) throw new TaskFailure(`There is no file ${name} beside ${row.name}.`);
  }
  const secondaryFiles: InputEntry[] = [];
  for (const each of beside) {
    const isFolder = each.kind === 'folder';
    secondaryFiles.push(
      await (isFolder ? inputFolder(services, each, DEPTH_MAX) : inputFile(services, each)),
    );
  }
  return inputFile(services, row, secondaryFiles);
}

/**
 * The file of a name beside another. A public file is everybody's, but its neighbours are not: one that the user who
 * runs the task must not read is not there for them. A folder may be read with all that is in it, since only files are
 * public.
 */
async function readableSibling(
  store: Store,
  caller: Caller,
  { of, name }: { readonly of: FileRow; readonly name: string },
): Promise<FileRow | undefined> {
  const sibling = await filesIn(store).findChild(of.parent_id ?? '', name);
  if (sibling === undefined) return undefined;
  try {
    return await readableFile(store, caller, sibling.id);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

async function inputFile(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner,
  row: FileRow,
  secondaryFiles: readonly InputEntry[] = [],
): Promise<InputFile> {
  return {
    class: 'File',
    name: checkedName(row.name),
    sizeBytes: row.size,
    metadata: await filesIn(services.store).metadata(row.id),
    secondaryFiles,
    open: () => openContent(services, row),
    address: () => inputAddress(services, row.id),
  };
}

async function inputFolder(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets & HasSigner,
  row: FileRow,
  depth: number,
): Promise<InputFolder> {
  if (depth === 0) throw new TaskFailure(`The folders in ${row.name} are nested too deeply.`);
  const listing: InputEntry[] = [];
  for (const child of await filesIn(services.store).children(row.id)) {
    const isFolder = child.kind === 'folder';
    listing.push(await (isFolder ? inputFolder(services, child, depth - 1) : inputFile(services, child)));
  }
  return { class: 'Directory', name: checkedName(row.name), listing };
}

/** A name becomes one in a directory of the tool's. */
function checkedName(name: string): string {
  if (name !== '.' && name !== '..' && Buffer.byteLength(name) <= 255) return name;
  throw new TaskFailure(`No tool can have a file of the name ${name} as its input.`);
}

/** Opens the bytes of a file, wherever they are. @throws ServiceError 5002, 9007, 9069, 9105, 9200 to 9209 */
async function openContent(
  services: HasStore & HasVolumeSecrets & HasBlobs & HasBuckets,
  file: FileRow,
): Promise<OpenBlob> {
  const { blob_key, volume_id, location } = file;
  if (volume_id !== null && location !== null) {
    const volume = await activeVolume(services, volume_id);
    const { bucket, key } = await objectPlace(services, volume, location);
    const object = await bucket.open(key).catch(refuseAsService);
    if (object === undefined) throw new ServiceError(9105, `The volume has no object at ${location}.`);
    return object;
  }
  const blob = blob_key === null ? undefined : await services.blobs.open(blob_key);
  if (blob === undefined) throw new ServiceError(5002, `The content of ${file.name} is gone.`);
  return blob;
}
