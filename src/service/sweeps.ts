import type { HasClock } from '../lib/clock.ts';
import type { HasLogger } from '../observe/logger.ts';
import { blobGarbageIn } from './files/tables/blob-garbage-table.ts';
import { jobsIn } from './jobs/job-table.ts';
import { auditIn } from './operations/audit/audit-table.ts';
import { attempt } from './operations/sweeping/attempt.ts';
import { BATCH, inBatches } from './operations/sweeping/in-batches.ts';
import type { Sweep } from './operations/sweeping/sweeper.ts';
import type { Services } from './services.ts';
import type { HasBlobs, UploadTarget } from './storage/blobs/blob-store.ts';
import type { HasBuckets } from './storage/buckets/buckets.ts';
import type { HasStore } from './store/store.ts';
import { storedTime } from './store/stored-time.ts';
import { sweepUploads } from './uploads/sweep-uploads.ts';
import { uploadsIn } from './uploads/upload-table.ts';

export interface SweepOptions {
  /** How long the bytes of a deleted file stay for those who are reading them. */
  readonly blobGraceSeconds: number;
  /** Uploads begun longer ago are given up; undefined: never. */
  readonly uploadDays?: number | undefined;
  /** How long the audit log keeps an entry; undefined: for ever. */
  readonly auditDays?: number | undefined;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Bytes on their way change their file all the time: what stood still this long belongs to a process that ended. */
const REMAINS_AGE_MS = DAY_MS;
/** A copy in the making changes every few seconds. */
const JOINING_AGE_MS = 10 * MINUTE_MS;
/** Asynchronous jobs on files are kept for a month. */
const FILE_JOBS_AGE_MS = 31 * DAY_MS;
/** Far longer than an export takes from the moment it gives content away to its record: a copy made before would be in vain. */
const GIVEN_AWAY_AGE_MS = 10 * MINUTE_MS;

/** In the order in which they are done: an upload given up leaves remains, remains are bytes. */
export function sweepsOf({ blobGraceSeconds, uploadDays, auditDays }: SweepOptions): Sweep<Services>[] {
  const uploads: Sweep<Services>[] =
    uploadDays === undefined
      ? []
      : [
          {
            what: 'uploads',
            intervalMs: HOUR_MS,
            run: (services, signal) => sweepUploads(services, uploadDays * DAY_MS, signal),
          },
        ];
  const audit: Sweep<Services>[] =
    auditDays === undefined
      ? []
      : [
          {
            what: 'audit',
            intervalMs: HOUR_MS,
            run: (services, signal) => sweepAudit(services, auditDays * DAY_MS, signal),
          },
        ];
  return [
    ...uploads,
    ...audit,
    { what: 'remains', intervalMs: HOUR_MS, run: sweepRemains },
    {
      what: 'blobs',
      intervalMs: MINUTE_MS,
      run: (services, signal) => sweepBlobs(services, blobGraceSeconds * 1000, signal),
    },
    { what: 'parts', intervalMs: MINUTE_MS, run: joinParts },
    { what: 'links', intervalMs: MINUTE_MS, run: sweepLinks },
    { what: 'jobs', intervalMs: HOUR_MS, run: sweepJobs },
  ];
}

async function sweepAudit(
  { store, clock }: HasStore & HasClock,
  ageMs: number,
  signal: AbortSignal,
): Promise<number> {
  const before = storedTime(clock.now() - ageMs);
  return inBatches(signal, () => auditIn(store).removeBefore(before, BATCH));
}

async function sweepRemains(
  services: HasStore & HasBlobs & HasBuckets & HasClock & HasLogger,
  signal: AbortSignal,
): Promise<number> {
  const { store, blobs, buckets, clock } = services;
  // Read first: an upload that begins later is younger than what is looked for.
  const targets = await uploadsIn(store).targets();
  const active = new Set(targets.map((target) => (JSON.parse(target) as UploadTarget).key));
  const before = clock.now() - REMAINS_AGE_MS;
  const isActive = (key: string): boolean => active.has(key);
  let count = 0;
  for (const remains of [blobs.remains(before, isActive), buckets.remains(before)]) {
    for await (const { name, remove } of remains) {
      if (signal.aborted) return count;
      await attempt(services, { what: 'remains', place: name }, async () => {
        if (await remove()) count += 1;
      });
    }
  }
  return count;
}

async function sweepBlobs(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  graceMs: number,
  signal: AbortSignal,
): Promise<number> {
  const { store, blobs, clock } = services;
  const since = storedTime(clock.now() - graceMs);
  return eachNoted(services, signal, {
    what: 'blobs',
    keysAfter: (key) => blobGarbageIn(store).unusedSince(since, BATCH, key),
    act: (key) => blobs.remove(key),
    forget: (key) => blobGarbageIn(store).forget(key),
  });
}

/**
 * Ends the sharing of content between an object and a file. Of content that an export gave away they have one file on the disk,
 * and where the export was refused or stopped after that, or the file was copied meanwhile, both stay.
 */
async function sweepLinks(
  services: HasStore & HasBlobs & HasClock & HasLogger,
  signal: AbortSignal,
): Promise<number> {
  const { store, blobs, clock } = services;
  const until = storedTime(clock.now() - GIVEN_AWAY_AGE_MS);
  return eachNoted(services, signal, {
    what: 'links',
    keysAfter: (key) => blobGarbageIn(store).givenAwayUntil(until, BATCH, key),
    act: (key) => blobs.unshare(key),
    forget: (key) => blobGarbageIn(store).forgetUntil(key, until),
  });
}

/** Makes blobs of parts one file each: a web server can then send them, and all read them faster. */
async function joinParts(
  { blobs, clock, logger }: HasBlobs & HasClock & HasLogger,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  for await (const { name, join } of blobs.parted?.(clock.now() - JOINING_AGE_MS) ?? []) {
    if (signal.aborted) return count;
    await attempt({ blobs, logger }, { what: 'parts', place: name }, async () => {
      if (await join(signal)) count += 1;
    });
  }
  return count;
}

async function sweepJobs({ store, clock }: HasStore & HasClock): Promise<number> {
  return jobsIn(store).forgetEnded(['copy', 'move', 'delete'], storedTime(clock.now() - FILE_JOBS_AGE_MS));
}

interface NotedBlobs {
  readonly what: string;
  /** The first keys after one, `BATCH` at most. */
  readonly keysAfter: (key: string) => Promise<readonly string[]>;
  readonly act: (key: string) => Promise<void>;
  readonly forget: (key: string) => Promise<void>;
}

/** The note of a blob for which it fails stays, and is passed: many such would hold the place of all others. */
async function eachNoted(
  services: HasBlobs & HasLogger,
  signal: AbortSignal,
  { what, keysAfter, act, forget }: NotedBlobs,
): Promise<number> {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const keys: readonly string[] = await keysAfter(after);
    for (const key of keys) {
      if (signal.aborted) return count;
      if (!(await attempt(services, { what, blob: key }, () => act(key)))) continue;
      await forget(key);
      count += 1;
    }
    after = keys.length < BATCH ? undefined : keys.at(-1);
  }
  return count;
}
