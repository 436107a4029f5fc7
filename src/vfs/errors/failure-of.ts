import { messageOf } from '../../lib/message-of.ts';
import { errnoOf, isAbort, isKnownError } from './errno-of.ts';
import type { Failure } from './error-registry.ts';
import { remedyFor } from './remedies.ts';

/** The operation that failed, and its path. */
export type FailedOperation = Pick<Failure, 'op' | 'path' | 'target' | 'attribute' | 'access'>;

/** The record of a failed operation. */
export function failureOf(failed: FailedOperation, error: unknown, nowMs: number): Failure {
  const errno = errnoOf(error);
  const first = firstOf(error);
  const requestId = isKnownError(first) && first.name === 'ApiError' ? first.requestId : undefined;
  return { ...failed, errno, requestId, text: textOf(error, errno, requestId), atMs: nowMs };
}

function textOf(error: unknown, errno: string, requestId: string | undefined): string {
  const reason = reasonOf(error);
  const code = codeOf(error);
  const details = [
    errno,
    ...(code === undefined ? [] : [`code ${code}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
  return `${reason} (${details.join(', ')}). ${remedyFor(error, code)}`.trim();
}

/** An interruption's own message is of the runtime, and says nothing to a person who pressed Ctrl-C. */
function reasonOf(error: unknown): string {
  if (isAbort(error)) return 'interrupted by a signal';
  return messageOf(error);
}

/** The error behind one of ours: it holds the answer of the platform, which our words do not. */
function firstOf(error: unknown): unknown {
  return error instanceof Error && error.name === 'FsError' && error.cause !== undefined
    ? error.cause
    : error;
}

/** The platform's code, of a call or of a job that failed; 0 when it gave none. */
function codeOf(reason: unknown): number | undefined {
  const error = firstOf(reason);
  if (!isKnownError(error)) return undefined;
  if (error.name === 'ApiError') return error.code;
  return error.name === 'JobError' ? error.failure.code : undefined;
}
