import type { Failure } from '../api/model.ts';
import type { JobKind } from './ports.ts';

/** A job of the platform ended in failure; of several failed ones, the first. */
export class JobError extends Error {
  override readonly name = 'JobError';
  readonly kind: JobKind;
  /** Undefined when the job was refused at submission. */
  readonly jobId: string | undefined;
  readonly failure: Failure;

  constructor(
    kind: JobKind,
    failure: Failure,
    context: { readonly jobId?: string | undefined; readonly more?: number },
  ) {
    super(context.more ? `${failure.message} (and ${context.more} more failed)` : failure.message);
    this.kind = kind;
    this.jobId = context.jobId;
    this.failure = failure;
  }
}
