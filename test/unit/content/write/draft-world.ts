/** Drafts over a platform in memory, with a spool directory anew for each test. */
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dirSync } from 'tmp';
import { afterEach, beforeEach } from 'vitest';
import { MemoryPool } from '../../../../src/content/memory/memory-pool.ts';
import type { ContentVersion, ContentWriter, Draft } from '../../../../src/content/ports.ts';
import type { ContentWriterOptions } from '../../../../src/content/write/content-writer.ts';
import type { DraftSpoolOptions } from '../../../../src/content/write/spool/draft-spool.ts';
import { SpoolSpace } from '../../../../src/content/write/spool/spool-space.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { FakePlatform } from '../fake-platform.ts';
import { writerOver } from './writer-over.ts';

export const KIB = 1024;
export const MIB = 1024 * KIB;
export const forever = new AbortController().signal;
/** Why a draft is kept. */
export const BECAUSE = { reason: 'it was refused', atMs: 1, acknowledged: true } as const;
export const target = { parent: 'folder', name: 'new.bam', overwrite: true };

export let directory: { readonly name: string; removeCallback(): void };
export let platform: FakePlatform;
const writers: ContentWriter[] = [];

beforeEach(() => {
  directory = dirSync({ prefix: 'svcfs', unsafeCleanup: true });
  platform = new FakePlatform();
});
afterEach(async () => {
  await Promise.all(writers.splice(0).map((writer) => writer.close()));
  directory.removeCallback();
});

export function writerOf(options: Partial<ContentWriterOptions> = {}): ContentWriter {
  const writer = writerOver(platform, {
    memory: new MemoryPool(64 * MIB),
    directory: directory.name,
    partSizeBytes: 100,
    ...options,
  });
  writers.push(writer);
  return writer;
}

/** A spool in that directory, with nobody beside it. */
export function loneSpool(limitBytes: number): DraftSpoolOptions {
  return {
    path: join(directory.name, '1.spool'),
    space: new SpoolSpace({ limitBytes, overdraftBytes: 0, clock: new FakeClock() }),
    tenant: {
      publishing: false,
      finishing: false,
      giveUp: async () => false,
      releaseSent: async () => false,
    },
    onDisk: false,
    onRefusal: () => undefined,
  };
}

export function newDraft(writer: ContentWriter, base?: ContentVersion, name = target.name): Promise<Draft> {
  return writer.draft({ target: { ...target, name }, base, label: `trial/${name}` });
}

/** The spool directory of a mount that is killed at this moment, for the next one. */
export async function leftByKill(): Promise<string> {
  const left = join(directory.name, 'after-kill');
  await mkdir(left);
  for (const name of (await readdir(directory.name)).filter((each) => /journal|spool/.test(each)))
    await cp(join(directory.name, name), join(left, name));
  return left;
}

export async function bytesOf(draft: Draft): Promise<Buffer> {
  const { chunks, release } = await draft.read(0, draft.sizeBytes, forever);
  const bytes = Buffer.concat(chunks);
  release?.();
  return bytes;
}

/** One piece after the other, of those that begin at `from` or beyond. */
export async function writeInPieces(
  draft: Draft,
  bytes: Buffer,
  pieceBytes: number,
  from = 0,
): Promise<void> {
  for (let at = from; at < bytes.length; at += pieceBytes) {
    await draft.write(at, bytes.subarray(at, at + pieceBytes), forever);
  }
}

export const published = (name = target.name): Buffer | undefined => platform.named('folder', name)?.bytes;
