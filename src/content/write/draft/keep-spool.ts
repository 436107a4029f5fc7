import { constants, copyFile, mkdir, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { exists } from '../../../lib/exists.ts';
import { syncDirectory } from '../../../lib/sync.ts';
import { type AboutKept, KEPT_DIRECTORY, writeAbout } from '../kept/about-kept.ts';
import type { Extent } from '../spool/extent-map.ts';

/** Tells a person which bytes of the draft its spool lacks: those that the draft takes from versions on the service. */
export function leftOut(extents: readonly Extent[]): readonly string[] {
  const isPartial = extents.some(({ origin }) => origin.kind === 'version');
  return isPartial ? ['what was not written since it was opened is left out (zeros)'] : [];
}

/** Puts a spool where a person finds it, beside the spools in `recovered/`; answers its path there. */
export async function keepSpool(spool: string, name: string, about: AboutKept): Promise<string> {
  const path = await placeFor(spool, name);
  // First: a file of which nothing is known can be saved, but not uploaded.
  await writeAbout(dirname(spool), name, about);
  await rename(spool, path);
  return path;
}

/** Makes the spool of a draft that never had a byte in one: an empty file, or one that is all hole. */
export async function makeSpool(spool: string, sizeBytes: number): Promise<void> {
  const handle = await open(spool, 'a', 0o600);
  try {
    await handle.truncate(sizeBytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Where a mount has put it that ended before its journal told of that; undefined: none has. */
export async function keptBefore(spool: string, name: string): Promise<string | undefined> {
  const path = join(directoryBeside(spool), name);
  return (await exists(path)) ? path : undefined;
}

/** As `keepSpool`, of a spool that is still needed: durable, and with these bytes as its first. */
export async function keepCopy(
  spool: string,
  { name, first, about }: { readonly name: string; readonly first: Uint8Array; readonly about: AboutKept },
): Promise<string> {
  const path = await placeFor(spool, name);
  await writeAbout(dirname(spool), name, about);
  await copyFile(spool, path, constants.COPYFILE_FICLONE);
  const copy = await open(path, 'r+');
  try {
    await copy.write(first, 0, first.length, 0);
    await copy.datasync();
  } finally {
    await copy.close();
  }
  await syncDirectory(dirname(path));
  return path;
}

async function placeFor(spool: string, name: string): Promise<string> {
  const directory = directoryBeside(spool);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return join(directory, name);
}

function directoryBeside(spool: string): string {
  return join(dirname(spool), KEPT_DIRECTORY);
}
