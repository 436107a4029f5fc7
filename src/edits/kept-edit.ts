/**
 * An edit that the platform refused, kept for a person beside the files that it refused: a metadata table of one row in
 * JSON Lines, which `svcfs meta import` takes.
 */
import { mkdir, open, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { KEPT_DIRECTORY, writeAbout } from '../content/write/kept/about-kept.ts';
import { filesAside } from '../content/write/kept/kept-files.ts';
import { keptName } from '../content/write/kept/kept-name.ts';
import { syncDirectory } from '../lib/sync.ts';
import { printTable } from '../metadata/format/print-table.ts';
import { isReservedKey } from '../metadata/own-pairs.ts';
import type { Edit } from './edit.ts';

const ENDING = '.metadata.jsonl';

/** Durable when this returns; answers the path of the table. `directory` is that of the spools. */
export async function keepEdit(
  directory: string,
  edit: Edit,
  { reason, atMs }: { readonly reason: string; readonly atMs: number },
): Promise<string> {
  const { id, label, file, place, change } = edit;
  const kept = join(directory, KEPT_DIRECTORY);
  const path = join(kept, keptName({ label: basename(label), id }, ENDING));
  await mkdir(kept, { recursive: true, mode: 0o700 });
  await writeAbout(directory, basename(path), {
    id,
    label,
    keptMs: atMs,
    reason,
    acknowledged: true,
    missing: missingIn(edit),
    target: undefined,
    annotations: undefined,
    owed: { file, place, change },
  });
  const written = join(directory, `${id}.new`);
  const handle = await open(written, 'w', 0o600);
  try {
    await handle.writeFile(tableOf(edit));
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(written, path);
  await syncDirectory(kept);
  return path;
}

/** Undefined: none is kept under this id. */
export async function keptEdit(
  directory: string,
  id: string,
): Promise<{ readonly edit: Edit; readonly path: string } | undefined> {
  const kept = (await filesAside(directory)).find((each) => each.id === id);
  if (kept?.owed === undefined || kept.path === undefined) return undefined;
  const { label, keptMs: atMs, owed, path } = kept;
  return { edit: { id, label, atMs, ...owed }, path };
}

/** One row. Tables have no pairs of our own. */
export function tableOf({ file, place, change: { metadata, dropped, tags } }: Edit): string {
  const pairs = [...Object.entries(metadata), ...dropped.map((key): [string, null] => [key, null])].filter(
    ([key]) => !isReservedKey(key),
  );
  const row = { facts: { 'svc.id': file, 'svc.path': place, 'svc.tags': tags }, pairs: new Map(pairs) };
  const table = {
    facts: ['svc.id', 'svc.path', 'svc.tags'] as const,
    keys: pairs.map(([key]) => key),
    rows: [row],
  };
  return [...printTable(table, 'jsonl')].join('');
}

/** What the table lacks, for a person; undefined: nothing. */
export function missingIn({ change: { metadata, dropped } }: Edit): string | undefined {
  const hasOwn = [...Object.keys(metadata), ...dropped].some(isReservedKey);
  return hasOwn ? 'tables have no mode, time and owner: svcfs recover retry sends them, too' : undefined;
}
