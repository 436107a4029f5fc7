/** The questions that `svcfs meta` and `svcfs tag` ask a mount: its calls go out with its credentials and its rate budget. */
import type { Api } from '../../api/api.ts';
import type { MetadataApi } from '../../metadata/files/metadata-api.ts';
import { PRIORITY } from '../../metadata/files/metadata-api.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import type { PlatformPlace } from '../../vfs/listing/places-at.ts';
import type { LearntAnnotations } from '../../vfs/xattr/learn-annotations.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';

type Files = MetadataApi['files'];

/** A call of the API, less its options. */
export type MetadataCall =
  | { readonly call: 'project'; readonly id: string }
  | { readonly call: 'list'; readonly folder: string; readonly page: Parameters<Files['list']>[1] }
  | { readonly call: 'find'; readonly place: Parameters<Files['find']>[0] }
  | { readonly call: 'get'; readonly ids: readonly string[] }
  | { readonly call: 'edit' | 'update'; readonly edits: Parameters<Files['bulkEdit']>[0] };

export type MetadataRequest =
  /** Paths from the top of the mount. Files that were closed there are on the platform first. */
  | { readonly request: 'places'; readonly paths: readonly string[] }
  | ({ readonly request: 'metadata' } & MetadataCall)
  /** Another process has changed these files. */
  | { readonly request: 'learn'; readonly files: readonly LearntAnnotations[] };

export type MetadataAnswer =
  /** In the order of the paths; undefined where it failed. */
  | ({ readonly answer: 'places'; readonly places: readonly (PlatformPlace | null)[] } & FailedPaths)
  /** As the call answers; absent when that is undefined. */
  | { readonly answer: 'metadata'; readonly value: unknown }
  | { readonly answer: 'learn' };

export interface MetadataParts {
  readonly api: Api;
  readonly readOnly: boolean;
  readonly flush: MountedFileSystem['flush'];
  readonly placeAt: MountedFileSystem['placeAt'];
  readonly learnAnnotations: MountedFileSystem['learnAnnotations'];
}

export async function answerMetadataRequest(
  request: MetadataRequest,
  parts: MetadataParts,
  signal: AbortSignal,
): Promise<MetadataAnswer> {
  switch (request.request) {
    case 'places':
      return placesOf(request.paths, parts, signal);
    case 'metadata':
      return { answer: 'metadata', value: await callApi(request, parts, signal) };
    case 'learn':
      await parts.learnAnnotations(request.files);
      return { answer: 'learn' };
  }
}

async function placesOf(
  paths: readonly string[],
  { flush, placeAt }: MetadataParts,
  signal: AbortSignal,
): Promise<MetadataAnswer> {
  const failed = new PathFailures();
  const places: (PlatformPlace | null)[] = [];
  for (const path of paths) {
    try {
      for (const error of await flush(path, signal)) failed.add(path, error);
      places.push(await placeAt(path, signal));
    } catch (error) {
      signal.throwIfAborted();
      failed.add(path, error);
      places.push(null);
    }
  }
  return { answer: 'places', places, failures: failed.failures, failed: failed.failed };
}

async function callApi(request: MetadataCall, parts: MetadataParts, signal: AbortSignal): Promise<unknown> {
  const { files, projects } = parts.api;
  const options = { signal, priority: PRIORITY } as const;
  switch (request.call) {
    case 'project':
      return projects.get(request.id, options);
    case 'list':
      return files.list(request.folder, request.page, options);
    case 'find':
      return files.find(request.place, options);
    case 'get':
      return files.bulkGet(request.ids, options);
    case 'edit':
    case 'update':
      return change(request, parts);
  }
}

/** It is not given up when the asker goes away: the mount is to know what the files have. */
async function change(
  { call, edits }: Extract<MetadataCall, { readonly call: 'edit' | 'update' }>,
  { api: { files }, readOnly, learnAnnotations }: MetadataParts,
): Promise<unknown> {
  if (readOnly) throw new Error('this mount is read-only (--read-only)');
  const options = { priority: PRIORITY } as const;
  const results = await (call === 'edit' ? files.bulkEdit(edits, options) : files.bulkUpdate(edits, options));
  await learnAnnotations(
    results.flatMap((result) => (result.ok && result.value.kind === 'file' ? [result.value] : [])),
  );
  return results;
}
