import type { ApiErrorBody } from '../../contract/error.ts';
import type { RequestView } from './request-view.ts';

/** The facts of a failure: enough to write the standard error object for any client. */
export interface ErrorFacts {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

export function errorBody(error: ErrorFacts, view: RequestView): ApiErrorBody {
  const { status, code, message } = error;
  return { status, code, message, more_info: view.href(`/api-status-codes#${code}`) };
}
