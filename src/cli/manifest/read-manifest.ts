import { readFile } from 'node:fs/promises';
import { plainReason } from '../../lib/plain-reason.ts';
import { CliError } from '../exit-codes.ts';
import { type Manifest, ManifestError, parseManifest } from './manifest-text.ts';

/** @throws CliError for a file that cannot be read, or is no manifest */
export async function readManifest(path: string): Promise<Manifest> {
  try {
    return parseManifest(await readFile(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof ManifestError ? error.message : `cannot be read: ${plainReason(error)}`;
    throw new CliError('usage', `${path}: ${reason}`, { cause: error });
  }
}

/** Ids mean something on one platform only, which may have several addresses. */
export function warningOfEndpoint(manifest: Manifest, endpoint: string): readonly string[] {
  if (manifest.endpoint === undefined || manifest.endpoint === endpoint) return [];
  return [`the manifest was made at ${manifest.endpoint}: its ids mean nothing on another platform`];
}
