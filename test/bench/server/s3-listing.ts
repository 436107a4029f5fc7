import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { S3_ETAG } from './nginx-configuration.ts';

/** An object, or a prefix of more of them: as ListObjects shows it. */
interface Entry {
  readonly key: string;
  readonly xml: string;
}

interface Kept {
  readonly changedNs: bigint;
  readonly entries: readonly Entry[];
}

/** ListObjects, version 1, for the delimiter `/` and prefixes that end in it. */
export class S3Listing {
  readonly #tree: string;
  /** By prefix: each page would take reading and sorting all of a directory. Good until a name comes or goes. */
  readonly #kept = new Map<string, Kept>();

  /** @param tree Of the objects; its name is the bucket's. */
  constructor(tree: string) {
    this.#tree = tree;
  }

  async page(query: URLSearchParams): Promise<string> {
    const prefix = query.get('prefix') ?? '';
    const marker = query.get('marker') ?? '';
    const most = Number(query.get('max-keys') ?? 1000);
    const found = (await this.#entries(prefix)).filter(({ key }) => key > marker);
    const page = found.slice(0, most);
    const isTruncated = page.length < found.length;
    const next = isTruncated ? `<NextMarker>${page.at(-1)?.key}</NextMarker>` : '';
    const head = `<Name>${basename(this.#tree)}</Name><Prefix>${prefix}</Prefix><Marker>${marker}</Marker>`;
    const entries = page.map(({ xml }) => xml).join('');
    return `<ListBucketResult>${head}<MaxKeys>${most}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${entries}</ListBucketResult>`;
  }

  async #entries(prefix: string): Promise<readonly Entry[]> {
    const directory = join(this.#tree, prefix);
    const stats = await stat(directory, { bigint: true }).catch(() => undefined);
    if (stats === undefined) return [];
    const kept = this.#kept.get(prefix);
    if (kept?.changedNs === stats.mtimeNs) return kept.entries;
    const entries = await entriesOf(directory, prefix);
    this.#kept.set(prefix, { changedNs: stats.mtimeNs, entries });
    return entries;
  }
}

async function entriesOf(directory: string, prefix: string): Promise<readonly Entry[]> {
  const found = await readdir(directory, { withFileTypes: true });
  const entries = await Promise.all(
    found.map((entry) =>
      entry.isDirectory()
        ? prefixEntry(`${prefix}${entry.name}/`)
        : objectEntry(`${prefix}${entry.name}`, join(directory, entry.name)),
    ),
  );
  return entries.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

function prefixEntry(key: string): Entry {
  return { key, xml: `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>` };
}

async function objectEntry(key: string, path: string): Promise<Entry> {
  const { size, mtimeMs } = await stat(path);
  // To the second, as nginx tells it.
  const modified = new Date(Math.floor(mtimeMs / 1000) * 1000).toISOString();
  const facts = `<LastModified>${modified}</LastModified><ETag>"${S3_ETAG}"</ETag><Size>${size}</Size>`;
  return { key, xml: `<Contents><Key>${key}</Key>${facts}<StorageClass>STANDARD</StorageClass></Contents>` };
}
