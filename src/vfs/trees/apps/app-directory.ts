/**
 * `apps/<owner>/<project>/<app>/`.
 *
 *   app.json                      the record, without its document
 *   0.json … latest.json          the document of each revision, and a link to the newest
 *   inputs.tsv  example.json      the inputs of the newest: a table, and inputs of a task to fill in
 *
 * The names are known from the record. A document is asked for when somebody looks at it.
 */
import type { PlatformRecord } from '../../../api/api.ts';
import { printExactly } from '../../../lib/exact-json.ts';
import { FsError } from '../../errors/fs-error.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticFile } from '../../model/synthetic.ts';
import { file, fixedEntries, link } from '../../synthetic/entries.ts';
import { documentOf, exampleInputs, inputsTable, modifiedMsOf } from './app-document.ts';
import type { Documents } from './documents.ts';

/** A revision never becomes another. */
const FOR_GOOD_MS = 86_400_000;

export interface AppDirectoryParts {
  readonly documents: Documents;
  readonly ttlMs: number;
  /** The project in the paths of `example.json`, `owner/name`. */
  readonly exampleProject: string;
}

/** @param record As lists tell it, with its newest revision */
export function appDirectory(
  id: string,
  record: PlatformRecord,
  parts: AppDirectoryParts,
): SyntheticDirectory {
  const { raw: _, ...told } = record;
  const entries: Record<string, SyntheticEntry> = { 'app.json': file(() => pretty(told)) };
  const { revision: latest } = record;
  if (typeof latest === 'number' && Number.isSafeInteger(latest))
    Object.assign(entries, revisionEntries({ id, latest }, parts));
  return fixedEntries(entries, { entriesTtlMs: parts.ttlMs, fields: { id } });
}

function revisionEntries(
  { id, latest }: { readonly id: string; readonly latest: number },
  { documents, exampleProject }: AppDirectoryParts,
): Readonly<Record<string, SyntheticEntry>> {
  const read = (
    revision: number,
    print: (document: PlatformRecord) => string,
    ttlMs?: number,
  ): SyntheticFile => {
    const document = async (signal: AbortSignal): Promise<PlatformRecord> => {
      const found = documentOf(await documents.get(id, revision, signal));
      if (found) return found;
      throw new FsError('EIO', `the platform tells no document of ${id}/${revision}`);
    };
    return documentFile(document, { print, ttlMs });
  };
  const revisions = Array.from({ length: latest + 1 }, (_, revision) => [
    `${revision}.json`,
    read(revision, pretty, FOR_GOOD_MS),
  ]);
  return {
    ...Object.fromEntries(revisions),
    'latest.json': link(`${latest}.json`),
    'inputs.tsv': read(latest, inputsTable),
    'example.json': read(latest, (document) => pretty(exampleInputs(document, exampleProject))),
  };
}

/** A file of a document, as old as that is. */
function documentFile(
  read: (signal: AbortSignal) => Promise<PlatformRecord>,
  { print, ttlMs }: Pick<SyntheticFile, 'ttlMs'> & { readonly print: (document: PlatformRecord) => string },
): SyntheticFile {
  let mtimeMs: number | undefined;
  return {
    kind: 'file',
    ttlMs,
    get mtimeMs() {
      return mtimeMs;
    },
    render: async (signal) => {
      const document = await read(signal);
      mtimeMs = modifiedMsOf(document);
      return print(document);
    },
  };
}

function pretty(value: unknown): string {
  return `${printExactly(value, 2)}\n`;
}
