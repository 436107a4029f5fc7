import { mkdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DraftState } from './journal-entry.ts';

/** Puts a spool where a person finds it, beside the spools in `recovered/`; answers its path there. */
export async function keepSpool(spool: string, name: string): Promise<string> {
  const directory = join(dirname(spool), 'recovered');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, name);
  await rename(spool, path);
  return path;
}

export function keptName({ label, id }: Pick<DraftState, 'label' | 'id'>): string {
  return `${basename(label)}.${id.slice(0, 8)}`;
}
