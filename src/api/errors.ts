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

  constructor(failure: Failure, context: { readonly call: string; readonly requestId?: string | undefined }) {
    super(failure.message);
    this.status = failure.status;
    this.code = failure.code;
    this.requestId = context.requestId;
    this.call = context.call;
  }
}

/** No usable answer of the API within the time allowed: unreachable, reset, timed out, or not the platform's JSON. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly call: string;
  /** `failed`: a failure of the service; `foreign`: not as the API answers, but a gateway's page, or another service. */
  readonly answer: 'none' | 'failed' | 'foreign';

  constructor(
    reason: string,
    options: { readonly call: string; readonly cause?: unknown; readonly answer?: TransportError['answer'] },
  ) {
    super(reason, { cause: options.cause });
    this.call = options.call;
    this.answer = options.answer ?? 'none';
  }
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
}
