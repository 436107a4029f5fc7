/**
 * Sends parts: the one process-wide queue with its limit of parts in flight, fair between files, and the way of one
 * part from the spool to the store.
 *
 * What a part builds on is fetched into the spool before memory for its body is taken, so that memory is held for the
 * time of one transfer only.
 */
import PQueue from 'p-queue';
import type { Api, StorageClient } from '../../api/api.ts';
import { StorageError } from '../../api/errors.ts';
import type { MemoryPool } from '../memory/memory-pool.ts';
import type { DraftContent } from './draft-content.ts';
import { FairQueue, type LaneOptions } from './fair-queue.ts';
import type { ByteRange } from './part-plan.ts';

export interface PartJob {
  /** The draft's id: files take turns. */
  readonly lane: string;
  readonly uploadId: string;
  readonly partNumber: number;
  readonly range: ByteRange;
  readonly content: DraftContent;
  /** Called when the part begins to be read: what changes from then on may be in it or not. */
  readonly onRead: () => void;
  readonly signal: AbortSignal;
}

export interface PartSenderOptions {
  readonly api: Api;
  readonly storage: StorageClient;
  readonly memory: MemoryPool;
  readonly partsInFlight: number;
}

export class PartSender {
  readonly #options: PartSenderOptions;
  readonly #queue: PQueue<FairQueue, LaneOptions>;

  constructor(options: PartSenderOptions) {
    this.#options = options;
    this.#queue = new PQueue({ concurrency: options.partsInFlight, queueClass: FairQueue });
  }

  /** Sends one part when its turn comes; answers its ETag. */
  send(job: PartJob): Promise<string> {
    return this.#queue.add(() => this.#send(job), { lane: job.lane });
  }

  async #send(job: PartJob): Promise<string> {
    job.signal.throwIfAborted();
    const { memory } = this.#options;
    await job.content.fetchMissing(job.range, job.signal);
    const sizeBytes = job.range.end - job.range.start;
    const buffer = await memory.acquire(sizeBytes, job.signal);
    try {
      const body = buffer.subarray(0, sizeBytes);
      job.onRead();
      while (!(await job.content.readSpooled(job.range.start, body))) {
        await job.content.fetchMissing(job.range, job.signal);
      }
      return await this.#put(job, body);
    } finally {
      memory.release(buffer);
    }
  }

  /** A link that expired while its part waited for its turn is asked for once more. */
  async #put(job: PartJob, body: Uint8Array): Promise<string> {
    try {
      return await this.#putOnce(job, body);
    } catch (error) {
      if (!(error instanceof StorageError) || error.kind !== 'refused') throw error;
      return await this.#putOnce(job, body);
    }
  }

  async #putOnce({ uploadId, partNumber, signal }: PartJob, body: Uint8Array): Promise<string> {
    const { api, storage } = this.#options;
    const target = await api.uploads.partUrl(uploadId, partNumber, { signal, priority: 'data' });
    const { etag } = await storage.putPart(target, body, signal);
    return etag;
  }
}
