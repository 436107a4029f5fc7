/**
 * The part of S3 that nginx lacks: lists, directories and multipart uploads, on the directory that nginx serves.
 *
 * A completed upload leaves a file of its size, and nothing else: no row reads the bytes that it has written in parts. A
 * store keeps an object as its parts, so joining them would take time that no store takes.
 */
import { copyFile, mkdir, readdir, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { S3_ETAG } from './nginx-configuration.ts';
import { S3Listing } from './s3-listing.ts';

export interface S3Lists {
  readonly port: number;
  close(): void;
}

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly type?: string;
}

/** @param tree Of the objects; its name is the bucket's. */
export async function startS3Lists(tree: string, parts: string): Promise<S3Lists> {
  await mkdir(parts, { recursive: true });
  const listing = new S3Listing(tree);
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
      await complete(join(parts, query.get('uploadId') ?? ''), join(tree, key));
      return xml(`<CompleteMultipartUploadResult><ETag>"${S3_ETAG}"</ETag></CompleteMultipartUploadResult>`);
    }
    const source = request.headers['x-amz-copy-source'];
    if (typeof source === 'string') {
      const from = join(dirname(tree), decodeURIComponent(source));
      if (from !== join(tree, key)) await copyFile(from, join(tree, key));
      return xml(`<CopyObjectResult><ETag>"${S3_ETAG}"</ETag></CopyObjectResult>`);
    }
    if (key === '') return request.method === 'HEAD' ? { status: 200 } : xml(await listing.page(query));
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

async function complete(parts: string, target: string): Promise<void> {
  const names = await readdir(parts);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(parts, name))).size));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const object = join(parts, 'object');
  await writeFile(object, '');
  await truncate(object, total);
  await mkdir(dirname(target), { recursive: true });
  await rename(object, target);
  // Nobody waits for that.
  rm(parts, { recursive: true, force: true }).catch(() => {});
}

/** A marker of a directory: HEAD, PUT and DELETE of a key that ends in a slash. */
async function directory(method: string, path: string): Promise<Answer> {
  if (method === 'PUT') await mkdir(path, { recursive: true });
  else if (method === 'DELETE') await rm(path, { recursive: true });
  else await stat(path);
  return { status: method === 'DELETE' ? 204 : 200, type: 'application/x-directory' };
}
