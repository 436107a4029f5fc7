import type { AsyncFileJob, AsyncState, EntryRecord, TransferJob, TransferState } from '../model.ts';
import { parseBulkItems, parseFailure } from './failure.ts';
import { parseListed } from './file.ts';
import { arrayAt, asObject, isObject, optionalNumberAt, textAt, UnexpectedShape } from './wire.ts';

const TRANSFER_STATES: readonly TransferState[] = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'];
const ASYNC_STATES: readonly AsyncState[] = ['SUBMITTED', 'RESOLVING', 'RUNNING', 'FINISHED'];

/** An import or export job. A failed one is an ordinary answer with an `error` in it. */
export function parseTransferJob(body: unknown, kind: TransferJob['kind']): TransferJob {
  const object = asObject(body, 'job');
  const { error } = object;
  const result = parseResource(object['result']);
  return {
    kind,
    id: textAt(object, 'id'),
    state: stateIn(TRANSFER_STATES, textAt(object, 'state')),
    failure: isObject(error) ? parseFailure(error, 500) : undefined,
    result: result?.kind === 'file' ? result : undefined,
  };
}

export function parseAsyncJob(body: unknown, kind: AsyncFileJob['kind']): AsyncFileJob {
  const object = asObject(body, 'job');
  return {
    kind,
    id: textAt(object, 'id'),
    state: stateIn(ASYNC_STATES, textAt(object, 'state')),
    failedFiles: optionalNumberAt(object, 'failed_files') ?? 0,
    results: parseBulkItems(arrayAt(object, 'result'), parseResource),
  };
}

/** A deleted entry has nothing to show; one whose size is not told is as good as not shown. */
function parseResource(resource: unknown): EntryRecord | undefined {
  const entry = isObject(resource) && Object.keys(resource).length > 0 ? parseListed(resource) : undefined;
  return entry?.kind === 'unsized' ? undefined : entry;
}

function stateIn<S extends string>(states: readonly S[], text: string): S {
  const state = states.find((each) => each === text.toUpperCase());
  if (state === undefined) {
    throw new UnexpectedShape(`the job is in the unknown state ${text}`);
  }
  return state;
}
