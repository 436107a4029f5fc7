/**
 * Sends parts: one process-wide queue with its limit of parts in flight, fair between files, and the way of one part from
 * the spool to the store. The sender asks for the links of the next parts ahead, so that no place in flight waits for a
 * link.
 *
 * Bytes that a part takes from a version are fetched into the spool, where the spool has room, before memory for the body
 * is taken. So a part holds memory for one transfer only. `FetchTurns` says how much is fetched at once. A part that was
 * sent gives up its place in flight before its check.
 */
import PQueue from 'p-queue';
import type { Api } from '../../../api/api.ts';
import { StorageError } from '../../../api/errors.ts';
import type { SignedUrl } from '../../../api/model.ts';
import type { StorageClient, StoredPart } from '../../../api/storage-client.ts';
import type { OnSending } from '../../../api/transport/sent-bytes.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ByteRange } from '../../byte-range.ts';
import type { MemoryPool } from '../../memory/memory-pool.ts';
import { ContentError } from '../../ports.ts';
import { FairQueue, type LaneOptions } from './fair-queue.ts';
import { FlightLimit } from './flight-limit.ts';
import { type PartCheck, PartChecks } from './part-checks.ts';

/** The bytes that parts are made of. */
export interface PartContent {
  /** Has the bytes of a range at hand. */
  fetchMissing(range: ByteRange, signal: AbortSignal): Promise<void>;
  readInto(offset: number, into: Buffer, signal: AbortSignal): Promise<void>;
}

export interface Turn {
  /** The draft's id: files take turns. */
  readonly lane: string;
  readonly signal: AbortSignal;
}

export interface PartJob extends Turn {
  readonly uploadId: string;
  readonly partNumber: number;
  readonly range: ByteRange;
  readonly content: PartContent;
  /** Called when the part begins to be read: what changes from then on may be in it or not. */
  readonly onRead: () => void;
  /** Called each time that the part begins to be sent. */
  readonly onSending: OnSending;
  /** Someone waits for it: it is checked as soon as it was sent. */
  readonly isUrgent: () => boolean;
}

export interface PartSenderOptions {
  readonly api: Pick<Api, 'uploads'>;
  readonly storage: StorageClient;
  readonly memory: MemoryPool;
  readonly clock: Clock;
  /** Undefined: as many as measured throughput says. */
  readonly partsInFlight: number | undefined;
}

/** A part whose bytes arrive damaged so often will not arrive. */
const MOST_TRIES = 5;
/** So many parts have their links ahead of their turns, for each in flight: a link takes less time than a part. */
const LINKS_AHEAD = 1 / 2;
/** Of the memory budget, for parts that were sent and wait to be checked. */
const WAITING_SHARE = 1 / 4;

/** A part that was sent, and still holds its bytes. */
interface Sent {
  readonly etag: string;
  readonly md5: string | undefined;
  readonly check: PartCheck;
  readonly release: () => void;
}

export class PartSender {
  readonly #options: PartSenderOptions;
  /** Parts whose turn is near, or has come. */
  readonly #near: PQueue<FairQueue, LaneOptions>;
  readonly #inFlight: PQueue<FairQueue, LaneOptions>;
  readonly #checks: PartChecks;
  readonly #limit: FlightLimit | undefined;

  constructor(options: PartSenderOptions) {
    this.#options = options;
    this.#limit = options.partsInFlight === undefined ? new FlightLimit(options.clock) : undefined;
    const concurrency = options.partsInFlight ?? this.#limit?.value ?? 1;
    this.#near = new PQueue({ concurrency: withAhead(concurrency), queueClass: FairQueue });
    this.#inFlight = new PQueue({ concurrency, queueClass: FairQueue });
    const mostWaitingBytes = options.memory.limitBytes * WAITING_SHARE;
    this.#checks = new PartChecks({ clock: options.clock, mostWaitingBytes });
  }

  /** Sends one part when its turn comes, again if it arrives damaged; answers its ETag. */
  async send(job: PartJob): Promise<string> {
    for (let attempt = 1; attempt <= MOST_TRIES; attempt += 1) {
      const sent = await inTurn(this.#near, () => this.#sendSoon(job), job);
      try {
        if (sent.md5 === undefined || (await sent.check.matches(sent.md5, job.isUrgent()))) return sent.etag;
      } finally {
        sent.check.drop();
        sent.release();
      }
    }
    throw new ContentError('failed', `part ${job.partNumber} arrived damaged ${MOST_TRIES} times`);
  }

  /** Someone waits for parts that were sent. */
  hurry(): void {
    this.#checks.hurry();
  }

  /** Sends a whole file. It waits for its turn only where the number of uploads was given: else many small ones may go. */
  sendWhole<T>(send: () => Promise<T>, turn: Turn): Promise<T> {
    return this.#limit === undefined ? inTurn(this.#inFlight, send, turn) : send();
  }

  #sendSoon(job: PartJob): Promise<Sent> {
    const link = this.#link(job);
    // A failure counts only for a part that comes to need its link.
    link.catch(() => undefined);
    return inTurn(this.#inFlight, () => this.#send(job, link), job);
  }

  async #send(job: PartJob, link: Promise<SignedUrl>): Promise<Sent> {
    const { memory } = this.#options;
    await job.content.fetchMissing(job.range, job.signal);
    const sizeBytes = job.range.end - job.range.start;
    const buffer = await memory.acquire(sizeBytes, job.signal);
    let check: PartCheck | undefined;
    try {
      const body = buffer.subarray(0, sizeBytes);
      job.onRead();
      await job.content.readInto(job.range.start, body, job.signal);
      check = this.#checks.begin(body);
      const { etag, md5 } = await this.#put(job, link, body);
      this.#measure(sizeBytes);
      return { etag, md5, check, release: () => memory.release(buffer) };
    } catch (error) {
      check?.drop();
      memory.release(buffer);
      throw error;
    }
  }

  #measure(sizeBytes: number): void {
    if (this.#limit === undefined) return;
    this.#limit.arrived(sizeBytes, this.#inFlight.size > 0);
    this.#inFlight.concurrency = this.#limit.value;
    this.#near.concurrency = withAhead(this.#limit.value);
  }

  /** A link that expired while its part waited for its turn is asked for once more. */
  async #put(job: PartJob, link: Promise<SignedUrl>, body: Uint8Array): Promise<StoredPart> {
    const { storage } = this.#options;
    const { signal, onSending } = job;
    try {
      return await storage.putPart(await link, body, { signal, onSending });
    } catch (error) {
      if (!(error instanceof StorageError) || !error.wantsNewLink) throw error;
      return await storage.putPart(await this.#link(job), body, { signal, onSending });
    }
  }

  #link({ uploadId, partNumber, signal }: PartJob): Promise<SignedUrl> {
    return this.#options.api.uploads.partUrl(uploadId, partNumber, { signal, priority: 'data' });
  }
}

/** Does work when its turn comes. Work that is aborted before that leaves the queue at once, also from behind others. */
async function inTurn<T>(
  queue: PQueue<FairQueue, LaneOptions>,
  work: () => Promise<T>,
  { lane, signal }: Turn,
): Promise<T> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    const begin = (): Promise<T> => {
      signal.removeEventListener('abort', leave);
      signal.throwIfAborted();
      return work();
    };
    queue.add(async () => begin(), { lane }).then(resolve, reject);
  });
}

function withAhead(inFlight: number): number {
  return inFlight + Math.ceil(inFlight * LINKS_AHEAD);
}
