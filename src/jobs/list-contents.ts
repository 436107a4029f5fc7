import type { Api } from '../api/api.ts';
import type { CallOptions, PageRequest } from '../api/call-options.ts';
import type { EntryRecord, FolderRecord, Page } from '../api/model.ts';
import { PAGE_LIMIT_MAX } from '../contract/limits.ts';
import { collect, pagesInOrder } from '../lib/pages-in-order.ts';
import { NOTHING, type SourceContents } from './plan.ts';
import type { TransferSource } from './ports.ts';
import { reservedNameOf, reservedNamesIn } from './reserved-folders.ts';

/**
 * All files below a folder, or all objects below a prefix; nothing for a single file or object.
 * @throws UnsettledError when others change a folder all the while: what is missing here would stay behind in silence
 */
export async function listContents(
  api: Pick<Api, 'files' | 'volumes'>,
  source: TransferSource,
  options: CallOptions,
): Promise<SourceContents> {
  switch (source.kind) {
    case 'file':
    case 'object':
      return NOTHING;
    case 'folder':
      return { ...NOTHING, files: await filesBelow(api, source.folder, '', options) };
    case 'prefix':
      return { ...NOTHING, locations: await locationsBelow(api, source.volume, source.prefix, options) };
  }
}

async function filesBelow(
  api: Pick<Api, 'files'>,
  folder: FolderRecord,
  path: string,
  options: CallOptions,
): Promise<SourceContents['files']> {
  const fetch = (page: PageRequest, signal: AbortSignal): Promise<Page<EntryRecord>> =>
    api.files.list(folder.id, page, { ...options, signal });
  const collection = { what: folder.name, limit: PAGE_LIMIT_MAX, strict: true, signal: options.signal };
  const entries = await collect(pagesInOrder(fetch, collection));
  const taken = reservedNamesIn(entries);
  const nested = entries.map(async (entry): Promise<SourceContents['files']> => {
    const reserved = reservedNameOf(entry);
    const name = reserved === undefined || taken.has(reserved) ? entry.name : reserved;
    const entryPath = path === '' ? name : `${path}/${name}`;
    return entry.kind === 'file'
      ? [{ path: entryPath, file: entry }]
      : filesBelow(api, entry, entryPath, options);
  });
  return (await Promise.all(nested)).flat();
}

async function locationsBelow(
  api: Pick<Api, 'volumes'>,
  volume: string,
  prefix: string,
  options: CallOptions,
): Promise<readonly string[]> {
  const locations: string[] = [];
  const deeper: string[] = [];
  let continuation: string | undefined;
  do {
    const page = await api.volumes.contents(volume, { prefix, continuation }, options);
    // An object whose key ends in "/" marks a folder, and is no file of its own.
    const found = page.objects.map(({ location }) => location);
    locations.push(...found.filter((each) => each.startsWith(prefix) && !each.endsWith('/')));
    // One that is not below this one would have no end.
    deeper.push(...page.prefixes.filter((each) => each.startsWith(prefix) && each.length > prefix.length));
    continuation = page.continuation;
  } while (continuation !== undefined);
  const nested = await Promise.all(deeper.map((each) => locationsBelow(api, volume, each, options)));
  return [...locations, ...nested.flat()];
}
