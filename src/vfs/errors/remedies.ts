/** Advice to a person about a failure, by the platform's code and by the kind of error. */
import type { TransportError } from '../../api/errors.ts';
import { errnoOf, isAbort, isKnownError } from './errno-of.ts';
import { PinnedChange } from './fs-error.ts';

const BY_CODE: Readonly<Record<number, string>> = {
  1000: 'The request limit of the token is used up: wait for the next interval (svcfs status tells when).',
  3001: 'Ask an administrator of the project for the permission.',
  5001: 'Ask an administrator of the project for the permission.',
  5002: 'It was deleted or replaced meanwhile: list the directory again.',
  5006: 'Keys have at most 100 bytes, values 300, and a file 1000 pairs.',
  5009: 'Only the user who made a file may edit its metadata: make a copy of it.',
  5021: 'Delete what is in the folder first, or use rm -r.',
  5024: 'Choose another name: the platform takes this one for no file or folder.',
  8001: 'Ask an administrator of the project for the permission to write.',
  8005: 'Someone made a file of that name meanwhile.',
  9006: 'Aliases, public and archived files and files of hosted datasets cannot be exported: copy the file instead, an archived one once it is restored.',
  9026: 'The volume is read-only: an administrator of the volume can change its access mode.',
  9101: 'The volume is read-only: an administrator of the volume can change its access mode.',
  9107: 'Another object has that name and was not replaced: choose another name, or replace it by a move of that file alone.',
  9108: 'Another file has that name and was not replaced: rename or remove it, then do the same again.',
  9069: 'The volume is not active: its owner has to activate it.',
  90001:
    'The token is wrong or expired: run svcfs login (with the --profile of the mount), or put a new one into its file; the mount takes it up.',
};

export function remedyFor(error: unknown, code: number | undefined): string {
  const byCode = code === undefined ? undefined : BY_CODE[code];
  if (byCode !== undefined) return byCode;
  if (isAbort(error)) return INTERRUPTED;
  if (isKnownError(error) && error.name === 'ApiError' && error.remedy !== undefined) return error.remedy;
  if (!isKnownError(error)) return '';
  if (error instanceof PinnedChange) return PIN_ANEW;
  if (error.name === 'TransportError') return BY_ANSWER[error.answer];
  if (error.name === 'ApiError' && error.status === 500) return BY_ANSWER.failed;
  if (error.name === 'StorageError' && error.kind === 'refused') return REFUSED_BY_STORE;
  if (error.name === 'TransferRefused' && error.reason === 'target-not-empty') return TARGET_NOT_EMPTY;
  const errno = errnoOf(error);
  if (errno === 'ENOSPC' && isOfService(error)) return NO_ROOM_AT_SERVICE;
  return BY_ERRNO[errno] ?? '';
}

const PIN_ANEW =
  'The manifest is as good as before: look for what was pinned elsewhere, or pin what is there now (svcfs manifest create).';

/** Whether the service has no room: an error about a full disk of this machine names its own remedy. */
function isOfService({ name }: Error): boolean {
  return name === 'ApiError' || name === 'JobError' || name === 'StorageError';
}

const BY_ANSWER: Readonly<Record<TransportError['answer'], string>> = {
  none: 'The service did not answer: check the network and the endpoint, then try again.',
  failed:
    'The service answered, but not with what was asked for: try again, and tell its operator if it stays so.',
  foreign:
    'The endpoint answers, but not as the API does: check the endpoint, and what is between it and this machine.',
};
const INTERRUPTED =
  'The work that was begun goes on, and bytes written so far are kept: look at the result, and do it again if it ' +
  'is wrong.';
/** The token does not matter: a signed address is good for everyone who has it. */
const REFUSED_BY_STORE =
  'The store refuses an address that the service signed: tell the operator of the service, or the owner of the volume.';
const NO_ROOM_AT_SERVICE = 'The service, or its store, has no room: tell its operator.';
const TARGET_NOT_EMPTY =
  'Nothing was moved: move to another name, or rename or remove the file in the project, then do the same again.';

const BY_ERRNO: Readonly<Record<string, string>> = {
  EACCES: 'The token lacks the permission for this.',
  ENFILE:
    'Write fewer files at once, or raise the limit (ulimit -Hn, LimitNOFILE= of systemd; fs.file-max of the machine) and ' +
    'mount again.',
  ENOMEM:
    'The machine, or a limit (ulimit -v, vm.overcommit_memory), gives the mount no more: free memory or raise the limit, ' +
    'or mount again with a smaller --memory.',
  ESTALE: 'It was replaced or deleted meanwhile: open it again.',
};
