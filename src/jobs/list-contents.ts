import type { Api, CallOptions } from '../api/api.ts';
import type { EntryRecord, Page } from '../api/model.ts';
import { PAGE_LIMIT_MAX } from '../contract/limits.ts';
import { NOTHING, type SourceContents } from './plan.ts';
import type { TransferSource } from './ports.ts';

/** All files below a folder, or all objects below a prefix; nothing for a single file or object. */
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
      return { ...NOTHING, files: await filesBelow(api, source.folder.id, '', options) };
    case 'prefix':
      return { ...NOTHING, locations: await locationsBelow(api, source.volume, source.prefix, options) };
  }
}

async function filesBelow(
  api: Pick<Api, 'files'>,
  folder: string,
  path: string,
  options: CallOptions,
): Promise<SourceContents['files']> {
  const entries = await entriesOf(api, folder, options);
  const nested = entries.map(async (entry): Promise<SourceContents['files']> => {
    const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
    return entry.kind === 'file'
      ? [{ path: entryPath, file: entry }]
      : filesBelow(api, entry.id, entryPath, options);
  });
  return (await Promise.all(nested)).flat();
}

/** The first page tells how many there are; the others come together. */
async function entriesOf(
  api: Pick<Api, 'files'>,
  folder: string,
  options: CallOptions,
): Promise<readonly EntryRecord[]> {
  const page = (offset: number): Promise<Page<EntryRecord>> =>
    api.files.list(folder, { offset, limit: PAGE_LIMIT_MAX }, options);
  const first = await page(0);
  const offsets: number[] = [];
  for (let offset = PAGE_LIMIT_MAX; offset < first.total; offset += PAGE_LIMIT_MAX) {
    offsets.push(offset);
  }
  const others = await Promise.all(offsets.map(page));
  return [first, ...others].flatMap(({ items }) => items);
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
    locations.push(...page.objects.map(({ location }) => location).filter((each) => !each.endsWith('/')));
    deeper.push(...page.prefixes);
    continuation = page.continuation;
  } while (continuation !== undefined);
  const nested = await Promise.all(deeper.map((each) => locationsBelow(api, volume, each, options)));
  return [...locations, ...nested.flat()];
}
