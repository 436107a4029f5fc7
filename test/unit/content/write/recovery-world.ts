/** A mount that is killed, and the next one, over one directory and a platform in memory. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach, expect } from 'vitest';
import type { ContentWriter, Draft, OwedDraft, Recovery } from '../../../../src/content/ports.ts';
import { NEVER_ABORTED } from '../../../../src/lib/shared-signals.ts';
import { FakePlatform, patterned } from '../fake-platform.ts';
import { writerOver } from './writer-over.ts';

export const forever = NEVER_ABORTED;
/** Why a draft is kept. */
export const BECAUSE = { reason: 'it was refused', atMs: 1, acknowledged: true } as const;

export let directory: { readonly name: string; removeCallback(): void };
export let platform: FakePlatform;
export let endLive = (): void => {};
export const writers: ContentWriter[] = [];

/** Never answers, as far as the killed mount is concerned. */
export function stuck(): Promise<void> {
  return new Promise((_, reject) => {
    const end = endLive;
    endLive = () => {
      end();
      reject(new Error('killed'));
    };
  });
}

/** Where a draft of so many bytes is when its close is acknowledged, and the bytes. */
export const SIZES = [
  ['small, in the journal', 50],
  ['large, in its spool', 20_000],
] as const;

/** Of the mount that is to be killed. */
export const live = (): string => join(directory.name, 'live');

/** A world for each test of a file. */
export function useRecoveryWorld(): void {
  beforeEach(() => {
    directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
    platform = new FakePlatform();
    endLive = () => {};
  });
  afterEach(async () => {
    platform.on = () => {};
    endLive();
    await Promise.all(writers.splice(0).map((writer) => writer.close()));
    directory.removeCallback();
  });
}

export function writerIn(
  path: string,
  { bootId = 'first', partSizeBytes = 100, spoolSizeBytes = Number.POSITIVE_INFINITY } = {},
): ContentWriter {
  const writer = writerOver(platform, { directory: path, bootId, partSizeBytes, spoolSizeBytes });
  writers.push(writer);
  return writer;
}

export function newDraft(writer: ContentWriter, replaces?: string, name = 'new.bam'): Promise<Draft> {
  const target = { parent: 'folder', name, overwrite: true, replaces };
  return writer.draft({ target, base: undefined, label: `projects/alice/trial/${name}` });
}

/** Written and synced, and never closed. */
export async function syncedDraft(writer: ContentWriter, name: string): Promise<Draft> {
  const draft = await newDraft(writer, undefined, name);
  await draft.write(0, patterned(50), forever);
  await draft.sync(forever);
  return draft;
}

/** The directory that the next mount finds after a kill: `live` as it is at this moment. */
export async function afterKill(when = 'after-kill', at = live()): Promise<string> {
  const path = join(directory.name, when);
  await cp(at, path, { recursive: true });
  return path;
}

export async function onlyRecovery(
  path: string,
  options?: { readonly bootId: string },
): Promise<Recovery['outcome'] & { readonly label: string }> {
  const [recovery, ...others] = await writerIn(path, options).recover();
  expect(others).toEqual([]);
  if (recovery === undefined) throw new Error('nothing was recovered');
  return { ...recovery.outcome, label: recovery.label };
}

export function owed(outcome: Recovery['outcome'] | undefined): OwedDraft {
  if (outcome?.kind !== 'owed') throw new Error(`nothing is owed: ${JSON.stringify(outcome)}`);
  return outcome.owed;
}
