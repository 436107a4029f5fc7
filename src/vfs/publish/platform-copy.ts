/** Drafts that the platform copies by itself: of what, whether it can, and what it made. */
import type { ApiError } from '../../api/errors.ts';
import type { FileRecord } from '../../api/model.ts';
import { sameVersion } from '../../content/content-version.ts';
import type { Draft } from '../../content/ports.ts';
import type { TransferOutcome } from '../../jobs/ports.ts';
import { TransferRefused } from '../../jobs/transfer-refused.ts';
import { FsError } from '../errors/fs-error.ts';
import type { CopyOrigin } from '../model/file-content.ts';

/** The platform's code for a file name that is taken. */
const NAME_TAKEN = 5003;

/** The platform cannot make this copy, but can take the bytes. */
export function needsBytes(error: unknown, exclusive: boolean): boolean {
  if (error instanceof TransferRefused) return error.reason !== 'no-permission';
  const code = error instanceof Error && error.name === 'ApiError' ? (error as ApiError).code : undefined;
  return code === NAME_TAKEN && !exclusive;
}

export function originOf(copiedFrom: CopyOrigin | undefined, draft: Draft): CopyOrigin | undefined {
  const whole = copiedFrom && draft.wholeCopyOf();
  return whole && sameVersion(whole, copiedFrom.version) ? copiedFrom : undefined;
}

export function fileOf(outcome: TransferOutcome): FileRecord {
  const entry =
    outcome.kind === 'entry' ? outcome.entry : outcome.kind === 'imported' ? outcome.files[0] : undefined;
  if (entry?.kind === 'file') return entry;
  throw new FsError('EIO', 'the platform did not say what became of the copy');
}
