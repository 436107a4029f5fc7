import { ServiceError } from '../http/service-error.ts';

/** As the file's record says it. */
export interface ExportCandidate {
  readonly kind: 'file' | 'folder';
  /** The volume an alias refers to. */
  readonly volume_id: string | null;
  readonly is_public: 0 | 1;
  readonly is_archived: 0 | 1;
  /** The hosted data set it belongs to. */
  readonly dataset: string | null;
}

/** Why a file cannot be exported, or undefined (service-api.md, "What the service does"). */
export function exportRefusal(file: ExportCandidate): ServiceError | undefined {
  if (file.kind === 'folder')
    return new ServiceError(9006, 'A folder cannot be exported, only the files in it.');
  if (file.volume_id !== null)
    return new ServiceError(9006, 'The file is an alias: its content is on a volume already.');
  if (file.is_public === 1) return new ServiceError(9006, 'The file is public.');
  if (file.is_archived === 1) return new ServiceError(9006, 'The file is archived.');
  if (file.dataset !== null) return new ServiceError(9006, 'The file belongs to a hosted data set.');
  return undefined;
}
