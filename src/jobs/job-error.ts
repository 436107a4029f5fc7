import type { Failure } from '../api/model.ts';
import type { JobKind } from './ports.ts';

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
