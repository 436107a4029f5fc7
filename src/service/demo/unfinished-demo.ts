import { join } from 'node:path';
import { exists } from '../../lib/exists.ts';

/** The file that says that the content of a data directory is being made. */
export function unfinishedFile(dataDir: string): string {
  return join(dataDir, 'demo-unfinished');
}

/** It holds half a demo, which is good for nothing. */
export function isUnfinished(dataDir: string): Promise<boolean> {
  return exists(unfinishedFile(dataDir));
}
