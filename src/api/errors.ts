import { isGatewayFailure } from './gateway-failure.ts';
import type { Failure } from './model.ts';

/** The platform answered with an error object (undocumented-calls, section 2). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** The platform's own code, such as 5002; 0 when the answer had none. */
  readonly code: number;
  readonly requestId: string | undefined;
  /** Method and path, without query values. */
  readonly call: string;
  /** The remedy for a person, where the code does not tell it. */
  readonly remedy: string | undefined;

  constructor(failure: Failure, context: ApiErrorContext) {
    super(failure.message, { cause: context.cause });
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = context.requestId;
    this.call = context.call;
    this.remedy = context.remedy;
  }
}

interface ApiErrorContext {
  readonly call: string;
  readonly requestId?: string | undefined;
  readonly remedy?: string | undefined;
  readonly cause?: unknown;
}

/** No usable answer of the API within the time allowed: unreachable, reset, timed out, or not the platform's JSON. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly call: string;
  /** `failed`: a failure of the service; `foreign`: not as the API answers, but a gateway's page, or another service. */
  readonly answer: 'none' | 'failed' | 'foreign';
  /** False when the call surely never got to the server. */
  readonly mayHaveArrived: boolean;

  constructor(reason: string, options: TransportErrorOptions) {
    super(reason, { cause: options.cause });
    this.call = options.call;
    this.answer = options.answer ?? 'none';
    this.mayHaveArrived = options.mayHaveArrived ?? true;
  }
}

interface TransportErrorOptions {
  readonly call: string;
  readonly cause?: unknown;
  readonly answer?: TransportError['answer'];
  readonly mayHaveArrived?: boolean;
}

/**
 * Whether an answer, of the server or of a gateway, leaves open what became of the call. `code`: the platform's own, if it has
 * one. Without it a 503 may be of a gateway that lost its connection to the server over the call, as Envoy says then.
 */
export function isUnsure({
  status,
  code,
}: {
  readonly status: number;
  readonly code: number | undefined;
}): boolean {
  return status === 500 || isGatewayFailure(status) || (status === 503 && code === undefined);
}

/** Whether the call that failed so may have been carried out all the same. */
export function mayBeDone(error: unknown): boolean {
  if (error instanceof ApiError) return isUnsure({ status: error.status, code: error.code || undefined });
  return !(error instanceof TransportError) || error.mayHaveArrived;
}

/** A signed URL failed: `refused` wants a new link, `changed` means another version of the object, `failed` is final. */
export type StorageErrorKind = 'refused' | 'missing' | 'changed' | 'failed';

export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly kind: StorageErrorKind;
  readonly status: number | undefined;

  constructor(
    kind: StorageErrorKind,
    reason: string,
    options?: { readonly status?: number; readonly cause?: unknown },
  ) {
    super(reason, { cause: options?.cause });
    this.kind = kind;
    this.status = options?.status;
  }

  /** Amazon S3 and Google Cloud Storage say 400 (ExpiredToken) when the keys that signed the link have ended. */
  get wantsNewLink(): boolean {
    return this.kind === 'refused' || this.status === 400;
  }
}
