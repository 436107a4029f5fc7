import type { ContentWriter } from '../../content/ports.ts';
import type { Jobs, WorkRecord } from '../../jobs/ports.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { LogControl } from '../../observe/logger.ts';
import type { MountedFileSystem } from '../../vfs/create-file-system.ts';
import type { PinnedFile } from '../../vfs/model/pin.ts';
import { packageVersion } from '../package-version.ts';
import { answerCacheRequest, type CacheAnswer, type CacheParts } from './cache-inquiries.ts';
import type { InquiryAnswer, InquiryRequest, PinsAnswer, TransferRates } from './control-messages.ts';
import type { MountHistory } from './mount-history.ts';
import type { MountIdentity } from './mount-identity.ts';
import type { MountStatistics } from './mount-statistics.ts';
import { PathFailures } from './path-failures.ts';
import { answerPlatformRequest, type PlatformParts } from './platform-inquiries.ts';
import type { PastExchange } from './service-log.ts';
import { answerTrace, type TraceAnswer, type TraceParts } from './trace/trace-inquiry.ts';
import { answerTrashRequest, type TrashParts } from './trash-inquiries.ts';

/** The objects from which a mount answers over its control socket. */
export interface Inquiries extends CacheParts, PlatformParts, TraceParts, TrashParts {
  readonly jobs: Pick<Jobs, 'delete' | 'ofPath' | 'works'>;
  readonly writer: Pick<ContentWriter, 'uploads' | 'keptAside'>;
  /** Files whose new metadata waits to be sent. */
  readonly editedFiles: () => number;
  readonly identity: MountIdentity;
  readonly failures: MountedFileSystem['failures'];
  readonly failureAt: MountedFileSystem['failureAt'];
  readonly unwritableAt: MountedFileSystem['unwritableAt'];
  readonly hiddenAt: MountedFileSystem['hiddenAt'];
  readonly pathInTree: MountedFileSystem['pathInTree'];
  readonly pinsAt: MountedFileSystem['pinsAt'];
  readonly retryKept: MountedFileSystem['retryKept'];
  readonly dropKept: MountedFileSystem['dropKept'];
  readonly allowDeletions: MountedFileSystem['allowDeletions'];
  /** Limits in bytes a second. */
  readonly rates: TransferRates;
  readonly logControl: LogControl;
  readonly exchanges: () => readonly PastExchange[];
  readonly statistics: () => MountStatistics;
  readonly history: Pick<MountHistory, 'since'>;
  /** The same for Prometheus. */
  readonly metrics: () => string;
  readonly circumstances: (path?: string) => readonly string[];
}

/** So many of the last failures are told. */
const MOST_ERRORS = 20;

/** `send` gives intermediate answers; `signal` ends a waiting. */
export async function answerInquiry(
  request: InquiryRequest,
  inquiries: Inquiries,
  {
    send,
    signal,
  }: { readonly send: (answer: CacheAnswer | TraceAnswer) => number; readonly signal: AbortSignal },
): Promise<InquiryAnswer> {
  const { jobs, writer, failureAt, unwritableAt, flush, rates, statistics, editedFiles } = inquiries;
  switch (request.request) {
    case 'status':
      return {
        answer: 'status',
        uploads: writer.uploads(),
        jobs: jobs.works.list(),
        edited: editedFiles(),
        rates,
        statistics: statistics(),
        mount: inquiries.identity,
        errors: inquiries.failures().slice(-MOST_ERRORS),
      };
    case 'jobs':
      return { answer: 'jobs', jobs: jobs.works.list() };
    case 'job':
      return { answer: 'job', job: await dealWithJob(request, inquiries, signal) };
    case 'why':
      return {
        answer: 'why',
        failure: failureAt(request.path),
        job: jobs.ofPath(inquiries.pathInTree(request.path)),
        circumstances: [
          ...inquiries.circumstances(inquiries.pathInTree(request.path)),
          ...told(unwritableAt(request.path)),
          ...told(inquiries.hiddenAt(request.path)),
        ],
      };
    case 'history':
      return { answer: 'history', samples: inquiries.history.since(request.sinceMs) };
    case 'flush':
      return {
        answer: 'flush',
        failures: (await flush(request.path, signal)).map(({ message }) => message),
      };
    case 'pins':
      return { answer: 'pins', ...(await pinsOf(request.paths, inquiries, signal)) };
    case 'recover':
      return { answer: 'recover', failures: await dealWithKept(request, inquiries, signal) };
    case 'allow': {
      const { path, pid, forMs } = request;
      inquiries.allowDeletions(pid === undefined ? { path } : { pid }, forMs);
      return { answer: 'allow' };
    }
    case 'exchanges':
      return { answer: 'exchanges', exchanges: inquiries.exchanges() };
    case 'log':
      if (request.level !== undefined) inquiries.logControl.level = request.level;
      return { answer: 'log', level: inquiries.logControl.level };
    case 'trace':
      return answerTrace(request, inquiries, { send, signal });
    case 'trash':
      return answerTrashRequest(request, inquiries, signal);
    case 'warmup':
    case 'cache':
    case 'evict':
      return answerCacheRequest(request, inquiries, { send, signal });
    case 'places':
    case 'call':
    case 'learn':
    case 'refresh':
      return answerPlatformRequest(request, inquiries, signal);
    default:
      // Of a command of a later version.
      throw unknown(request);
  }
}

function unknown(request: never): Error {
  const { request: name } = request as { readonly request: string };
  return new Error(`svcfs ${packageVersion()}, which serves this mount, knows no request '${name}'`);
}

function told(reason: string | undefined): readonly string[] {
  return reason === undefined ? [] : [reason];
}

async function pinsOf(
  paths: readonly string[],
  { pinsAt }: Pick<Inquiries, 'pinsAt'>,
  signal: AbortSignal,
): Promise<PinsAnswer> {
  const failures = new PathFailures();
  const leftOut: string[] = [];
  const options: Parameters<Inquiries['pinsAt']>[1] = {
    signal,
    onFailure: (path, error) => failures.add(path, error),
    onLeftOut: (path, what) => void leftOut.push(`${path}: ${what}`),
  };
  const files: PinnedFile[][] = [];
  for (const path of paths) {
    const there: PinnedFile[] = [];
    for await (const file of pinsAt(path, options)) there.push(file);
    files.push(there);
  }
  signal.throwIfAborted();
  return { files, leftOut, failures: failures.failures, failed: failures.failed };
}

async function dealWithJob(
  { action, job: id }: Extract<InquiryRequest, { readonly request: 'job' }>,
  { jobs: { works }, lookAgainAt }: Pick<Inquiries, 'jobs' | 'lookAgainAt'>,
  signal: AbortSignal,
): Promise<WorkRecord | undefined> {
  if (action === 'cancel') works.cancel(id);
  if (action === 'retry') {
    const { source, target } = works.get(id) ?? {};
    const retried = works.retry(id).finally(() => {
      for (const path of [source, target]) if (path !== undefined) lookAgainAt(path);
    });
    await untilAborted(retried, signal);
  }
  return action === 'wait' || action === 'retry' ? works.wait(id, signal) : works.get(id);
}

async function dealWithKept(
  { action, draft }: Extract<InquiryRequest, { readonly request: 'recover' }>,
  { retryKept, dropKept }: Pick<Inquiries, 'retryKept' | 'dropKept'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (action === 'retry') return (await retryKept(draft, signal)).map(({ message }) => message);
  return (await dropKept(draft)) ? [] : [`the mount has no file of draft ${draft} that was refused`];
}
