/**
 * The metadata of files that a task makes. A file has what the app's expressions gave it (`metadata` of the File object);
 * an output that names an input (`svc:inheritMetadataFrom`) passes on what all files of that input agree on, and may set
 * values itself (`svc:metadata`).
 */

import type { AppDocument } from '../../contract/app.ts';
import type { FileMetadata } from '../../contract/file.ts';
import type { TaskValues } from '../../contract/task.ts';
import { namedPorts } from '../apps/apps.ts';
import { checkMetadata } from '../files/files.ts';
import { ServiceError } from '../http/service-error.ts';

/** The pairs that can be kept; the others are left out: a result is not lost for the sake of its description. */
export function outputMetadata(given: unknown): FileMetadata {
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(Object.entries(given).flatMap(([key, value]) => keptPair(key, value)));
}

function keptPair(key: string, value: unknown): [string, string][] {
  try {
    return Object.entries(
      checkMetadata({ [key]: typeof value === 'number' ? String(value) : (value as string) }),
    );
  } catch (error) {
    if (error instanceof ServiceError) return [];
    throw error;
  }
}

/**
 * The metadata that the app declares for the files of one output. @param inputs As engines take them: files with their
 * metadata
 */
export function declaredMetadata(document: AppDocument, inputs: TaskValues, output: string): FileMetadata {
  const port = namedPorts(document, 'outputs').find(({ name }) => name === output)?.port ?? {};
  const binding = (port['outputBinding'] ?? {}) as AppDocument;
  const from = port['svc:inheritMetadataFrom'] ?? binding['svc:inheritMetadataFrom'];
  const source = typeof from === 'string' ? inputs[from.replace(/^#/, '')] : undefined;
  const own = port['svc:metadata'] ?? binding['svc:metadata'];
  return { ...agreedMetadata(metadataIn(source)), ...outputMetadata(own) };
}

function agreedMetadata([first, ...others]: readonly FileMetadata[]): FileMetadata {
  const pairs = Object.entries(first ?? {});
  return Object.fromEntries(
    pairs.filter(([key, value]) => others.every(({ [key]: other }) => other === value)),
  );
}

function metadataIn(value: unknown): FileMetadata[] {
  if (typeof value !== 'object' || value === null) return [];
  if ('class' in value && value.class === 'File' && 'metadata' in value)
    return [value.metadata as FileMetadata];
  return Object.values(value).flatMap(metadataIn);
}
