/**
 * What nginx cannot do of S3: lists, directories and multipart uploads, on the directory that nginx serves.
 *
 * A completed upload is put together from its parts at once, by moving the first and appending the rest.
 */
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface S3Lists {
  readonly port: number;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

const MODIFIED = '2024-01-01T00:00:00.000Z';
const ETAG = '0123456789abcdef0123456789abcdef';

/** @param tree Of the objects; its name is the bucket's. */
export async function startS3Lists(tree: string, parts: string): Promise<S3Lists> {
  await mkdir(parts, { recursive: true });
  let uploads = 0;
  const respond = async (request: IncomingMessage): Promise<Answer> => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const [, , ...names] = url.pathname.split('/').map(decodeURIComponent);
    const key = names.join('/');
    const query = url.searchParams;
    if (request.method === 'POST' && query.has('uploads')) {
      uploads += 1;
      return xml(
        `<InitiateMultipartUploadResult><UploadId>u${uploads}</UploadId></InitiateMultipartUploadResult>`,
      );
    }
    if (request.method === 'POST') {
      await joinParts(join(parts, query.get('uploadId') ?? ''), join(tree, key));
      return xml(`<CompleteMultipartUploadResult><ETag>"${ETAG}"</ETag></CompleteMultipartUploadResult>`);
    }
    const source = request.headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const from = join(dirname(tree), decodeURIComponent(source));
      if (from !== join(tree, key)) await copyFile(from, join(tree, key));
      return xml(`<CopyObjectResult><ETag>"${ETAG}"</ETag></CopyObjectResult>`);
    }
    if (key === '') return request.method === 'HEAD' ? { status: 200 } : xml(await list(tree, query));
    return directory(request.method ?? '', join(tree, key));
  };
  const server = createServer((request, response) => {
    request.resume();
    respond(request).then(
      ({ status, body = '', type = 'application/xml' }) =>
        response.writeHead(status, { 'content-type': type }).end(body),
      (error: Error) => response.writeHead(404).end(error.message),
    );
  });
  server.keepAliveTimeout = 600_000;
  return { port: await listen(server), close: () => server.close() };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function xml(body: string): Answer {
  return { status: 200, body: `<?xml version="1.0" encoding="UTF-8"?>${body}` };
}

async function joinParts(directory: string, target: string): Promise<void> {
  const names = (await readdir(directory)).toSorted((a, b) => Number(a) - Number(b));
  const [first = '', ...rest] = names.map((name) => join(directory, name));
  for (const part of rest) await pipeline(createReadStream(part), createWriteStream(first, { flags: 'a' }));
  await mkdir(dirname(target), { recursive: true });
  await rename(first, target);
  await rm(directory, { recursive: true });
}

/** A marker of a directory: HEAD, PUT and DELETE of a key that ends in a slash. */
async function directory(method: string, path: string): Promise<Answer> {
  if (method === 'PUT') await mkdir(path, { recursive: true });
  else if (method === 'DELETE') await rm(path, { recursive: true });
  else await stat(path);
  return { status: method === 'DELETE' ? 204 : 200, type: 'application/x-directory' };
}

/** ListObjects, version 1, for the delimiter `/` and prefixes that end in it. */
async function list(tree: string, query: URLSearchParams): Promise<string> {
  const prefix = query.get('prefix') ?? '';
  const marker = query.get('marker') ?? '';
  const most = Number(query.get('max-keys') ?? 1000);
  const entries = await readdir(join(tree, prefix), { withFileTypes: true }).catch(() => []);
  const found = entries
    .map((entry) => ({
      key: `${prefix}${entry.name}${entry.isDirectory() ? '/' : ''}`,
      isFolder: entry.isDirectory(),
    }))
    .filter(({ key }) => key > marker)
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const page = found.slice(0, most);
  const isTruncated = page.length < found.length;
  const contents = await Promise.all(
    page.map(async ({ key, isFolder }) => {
      if (isFolder) return `<CommonPrefixes><Prefix>${key}</Prefix></CommonPrefixes>`;
      const { size } = await stat(join(tree, key));
      const facts = `<LastModified>${MODIFIED}</LastModified><ETag>"${ETAG}"</ETag><Size>${size}</Size>`;
      return `<Contents><Key>${key}</Key>${facts}<StorageClass>STANDARD</StorageClass></Contents>`;
    }),
  );
  const next = isTruncated ? `<NextMarker>${page.at(-1)?.key}</NextMarker>` : '';
  const head = `<Name>${basename(tree)}</Name><Prefix>${prefix}</Prefix><Marker>${marker}</Marker>`;
  return `<ListBucketResult>${head}<MaxKeys>${most}</MaxKeys><IsTruncated>${isTruncated}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`;
}
