import { readFile } from 'node:fs/promises';
import type { VolumeKeys } from './bucket-keys.ts';
import { credentialFiles } from './credentials.ts';
import { CredentialsError } from './credentials-error.ts';
import { ProfileFile } from './profile-file.ts';

/**
 * The keys of buckets that count for volumes at an endpoint.
 *
 * @throws CredentialsError when a section about a volume is none, or others may read the file that has it
 */
export async function keysForService(endpoint: string, home: string): Promise<readonly VolumeKeys[]> {
  const { ours } = credentialFiles(home);
  const volumes = await volumesIn(ours);
  return volumes.filter(({ service }) => service === undefined || service === endpoint);
}

/** A file that cannot be used matters only if it has such sections: endpoint and token may be from elsewhere. */
async function volumesIn(path: string): Promise<readonly VolumeKeys[]> {
  try {
    return (await ProfileFile.read(path, 'ours'))?.volumes() ?? [];
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    const text = await readFile(path, 'utf8').catch(() => '');
    if (/^\s*\[volume:/m.test(text)) throw error;
    return [];
  }
}
