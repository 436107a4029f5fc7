/** The questions of commands on files and their metadata: their calls go out with the mount's credentials and rate budget. */
import type { Api } from '../../api/api.ts';
import { ApiError } from '../../api/errors.ts';
import type { BulkResult, EntryRecord, TaskRecord } from '../../api/model.ts';
import { PRIORITY } from '../../places/asking.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import type { LearntEntries } from '../../vfs/listing/learn-entries.ts';
import type { LearntItem } from '../../vfs/listing/learn-items.ts';
import type { PlatformPlace } from '../../vfs/listing/places-at.ts';
import type { LearntAnnotations } from '../../vfs/xattr/learn-annotations.ts';
import { fromWire, toWire } from '../calls/call-values.ts';
import { CALLS, type CallName, isCallName, makeCall, type SentOptions } from '../calls/calls.ts';
import { type FailedPaths, PathFailures } from './path-failures.ts';
import { refusalOfCall, type WhatMayChange } from './refuse-calls.ts';

export type PlatformRequest =
  /** Paths from the top of the mount. Files that were closed there are on the platform first. */
  | { readonly request: 'places'; readonly paths: readonly string[] }
  /** The asker ends its side of the socket to take back a change that was not sent yet. */
  | {
      readonly request: 'call';
      readonly name: string;
      readonly args: readonly unknown[];
      readonly options: SentOptions;
    }
  /** Another process has changed these files, names, projects and volumes. */
  | {
      readonly request: 'learn';
      readonly files?: readonly LearntAnnotations[];
      readonly entries?: readonly LearntEntries[];
      readonly items?: readonly LearntItem[];
      readonly tasks?: readonly TaskRecord[];
    }
  /** The mount asks anew for the entry at a path from its top, and answers when it knows it. */
  | { readonly request: 'refresh'; readonly path: string };

export type PlatformAnswer =
  /** In the order of the paths; null where it failed. */
  | ({
      readonly answer: 'places';
      readonly places: readonly (PlatformPlace | null)[];
      readonly guards: Guards;
    } & FailedPaths)
  /** As the call answers (absent when that is undefined), the platform's refusal, or that it was taken back. */
  | { readonly answer: 'call'; readonly value: unknown }
  | { readonly answer: 'call'; readonly refusal: CallRefusal }
  | { readonly answer: 'call'; readonly takenBack: true }
  | { readonly answer: 'learn' }
  /** Of a directory: how many there are. */
  | { readonly answer: 'refresh'; readonly entries?: number | undefined };

/** What a mount does against removals that nobody wanted. */
export interface Guards {
  /** `--trash` */
  readonly keepsTrash: boolean;
  /** `--confirm-delete` */
  readonly confirmDelete?: number | undefined;
}

/** Of an `ApiError`. */
export interface CallRefusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly call: string;
  readonly requestId?: string | undefined;
}

export interface PlatformParts extends WhatMayChange, Guards {
  readonly api: Api;
  readonly flush: MountedFileSystem['flush'];
  readonly placeAt: MountedFileSystem['placeAt'];
  readonly learnAnnotations: MountedFileSystem['learnAnnotations'];
  readonly learnEntries: MountedFileSystem['learnEntries'];
  readonly learnItems: MountedFileSystem['learnItems'];
  readonly refreshAt: MountedFileSystem['refreshAt'];
  readonly learnTasks: MountedFileSystem['learnTasks'];
}

export async function answerPlatformRequest(
  request: PlatformRequest,
  parts: PlatformParts,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  switch (request.request) {
    case 'places':
      return placesOf(request.paths, parts, signal);
    case 'call':
      return callApi(request, parts, signal);
    case 'learn':
      await parts.learnAnnotations(request.files ?? []);
      parts.learnEntries(request.entries ?? []);
      parts.learnItems(request.items ?? []);
      parts.learnTasks(request.tasks ?? []);
      return { answer: 'learn' };
    case 'refresh':
      return { answer: 'refresh', entries: await parts.refreshAt(request.path, signal) };
  }
}

async function placesOf(
  paths: readonly string[],
  { flush, placeAt, keepsTrash, confirmDelete }: PlatformParts,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
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
  return {
    answer: 'places',
    places,
    guards: { keepsTrash, confirmDelete },
    failures: failed.failures,
    failed: failed.failed,
  };
}

async function callApi(
  { name, args, options }: Extract<PlatformRequest, { readonly request: 'call' }>,
  parts: PlatformParts,
  signal: AbortSignal,
): Promise<PlatformAnswer> {
  if (!isCallName(name)) throw new Error(`this mount makes no call ${name}`);
  const call = { name, args: args.map(fromWire) };
  const refusal = refusalOfCall(call, options, parts);
  if (refusal !== undefined) throw new Error(refusal);
  // A change that was sent is not given up when the asker goes away: the mount is to know what became of it.
  const ends = CALLS[name].changes ? { untilSent: signal } : { signal };
  try {
    const value = await makeCall(parts.api, call, { ...options, ...ends, priority: PRIORITY });
    await learnFrom(name, value, parts);
    return { answer: 'call', value: toWire(value) };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { answer: 'call', takenBack: true };
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, requestId, call: at } = error;
    return { answer: 'call', refusal: { status, code, message, requestId, call: at } };
  }
}

/** The mount shows at once what a change of metadata answers, and what is told of tasks. */
async function learnFrom(name: CallName, value: unknown, parts: PlatformParts): Promise<void> {
  if (name === 'tasks.create' || name === 'tasks.run' || name === 'tasks.abort' || name === 'tasks.get')
    parts.learnTasks([value as TaskRecord]);
  if (name === 'tasks.bulkGet')
    parts.learnTasks(
      (value as readonly BulkResult<TaskRecord>[]).flatMap((result) => (result.ok ? [result.value] : [])),
    );
  if (name !== 'files.bulkEdit' && name !== 'files.bulkUpdate') return;
  const results = value as readonly BulkResult<EntryRecord>[];
  await parts.learnAnnotations(
    results.flatMap((result) => (result.ok && result.value.kind === 'file' ? [result.value] : [])),
  );
}
