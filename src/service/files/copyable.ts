import { ServiceError } from '../http/service-error.ts';

/** As the file's record says it. */
export interface CopyCandidate {
  readonly name: string;
  readonly is_archived: 0 | 1;
}

/** @throws ServiceError 5007 archived */
export function checkCopyable(file: CopyCandidate): void {
  if (file.is_archived === 1)
    throw new ServiceError(5007, `The archived file ${file.name} cannot be copied.`);
}
