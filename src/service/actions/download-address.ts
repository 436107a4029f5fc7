import type { SignedAddress } from '../blobs/blob-store.ts';
import type { Caller } from '../caller.ts';
import { demand } from '../rules/permissions.ts';
import { ServiceError } from '../service-error.ts';
import type { Services } from '../services.ts';
import { fileFor } from './file-access.ts';

/** Where the content of a file can be read without a token. @throws ServiceError 5002, 5017 folder, 5014, 5034, 9105 */
export async function downloadAddress(
  services: Services,
  caller: Caller,
  fileId: string,
): Promise<SignedAddress> {
  const { file, permissions } = await fileFor(services.store, caller, fileId);
  if (file.kind === 'folder') throw new ServiceError(5017);
  demand(permissions, 'copy', 5014);
  if (file.blob_key !== null) return services.blobs.downloadAddress(file.blob_key);
  throw new ServiceError(5034);
}
