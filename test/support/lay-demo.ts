import { cp } from 'node:fs/promises';
import { inject } from 'vitest';

/** Makes a data directory that holds the demo, for a service that is yet to start (demo-template.ts). */
export function layDemo(dataDir: string): Promise<void> {
  return cp(inject('demoTemplate'), dataDir, { recursive: true });
}
