import type { Failure } from '../api/model.ts';
import type { JobKind, RefusalReason } from './ports.ts';

/** A job of the platform ended in failure; of several failed ones, the first, and which file of a folder it was. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly kind: JobKind;
  /** Undefined when the job was refused at submission. */
  readonly jobId: string | undefined;
  readonly failure: Failure;

  constructor(
    kind: JobKind,
    failure: Failure,
    {
      jobId,
      path,
      more,
    }: { readonly jobId?: string | undefined; readonly path?: string; readonly more?: number },
  ) {
    const which = path ? `${path}: ` : '';
    super(`${which}${failure.message}${more ? ` (and ${more} more failed)` : ''}`);
    this.kind = kind;
    this.jobId = jobId;
    this.failure = failure;
  }
}

/** A move or copy that the platform would forbid, or has no call for; nothing was sent. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
