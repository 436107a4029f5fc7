import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../observe/logger.ts';
import type { ByteSource } from '../storage/objects/byte-source.ts';
import { answerRange } from './byte-range.ts';
import { errorBody } from './error-body.ts';
import { fieldsOf } from './request-log.ts';
import { sendLocalBytes } from './send-local-bytes.ts';
import type { ServiceStats } from './service-stats.ts';

/** Answers GET or HEAD of a content with the bytes asked for; honours Range and If-Range. */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  content: {
    readonly source: ByteSource;
    readonly contentType?: string;
    readonly stats: ServiceStats;
    readonly logger: Logger;
  },
): Promise<FastifyReply> {
  const { source, contentType = 'application/octet-stream', stats, logger } = content;
  const { sizeBytes } = source;
  const etag = `"${source.etag}"`;
  const condition = request.headers['if-range'];
  const asked = condition === undefined || condition === etag ? request.headers.range : undefined;
  const answer = answerRange(asked, sizeBytes);
  void reply.headers({ ETag: etag, 'Accept-Ranges': 'bytes', 'Cache-Control': 'private' });
  if (answer.kind === 'unsatisfiable') {
    await source.close();
    const error = { status: 416, code: 90000, message: 'The range begins past the end of the content.' };
    void reply.code(416).header('Content-Range', `bytes */${sizeBytes}`);
    return reply.send(errorBody(error, request.view));
  }
  void reply.type(contentType);
  const range = answer.kind === 'part' ? answer.range : undefined;
  const length = range === undefined ? sizeBytes : range.last - range.first + 1;
  if (range !== undefined) {
    void reply.code(206).header('Content-Range', `bytes ${range.first}-${range.last}/${sizeBytes}`);
  }
  void reply.header('Content-Length', length);
  if (request.method === 'HEAD') {
    await source.close();
    sendHead(reply).end();
    return reply;
  }
  countBytes(reply, length, { socket: request.raw.socket, stats });
  const { readAt } = source;
  if (readAt === undefined) return reply.send(source.stream(range));
  const raw = sendHead(reply);
  try {
    await sendLocalBytes(raw, { readAt }, range ?? { first: 0, last: sizeBytes - 1 });
  } catch (error) {
    logger.error({ ...fieldsOf(request), err: error }, 'an answer was broken off');
    raw.destroy();
  } finally {
    await source.close();
  }
  return reply;
}

/** Begins an answer that Fastify does not write: it would give one without a body the length 0. */
function sendHead(reply: FastifyReply): ServerResponse {
  reply.hijack();
  return reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
}

/**
 * A reader may leave early: what the socket took is what counts. An answer has no socket of its own while the one before it is
 * being finished, so it is the request's.
 */
function countBytes(
  { raw }: FastifyReply,
  length: number,
  { socket, stats }: { readonly socket: Socket; readonly stats: ServiceStats },
): void {
  const before = socket.bytesWritten;
  stats.storageGets += 1;
  raw.once('close', () => {
    stats.storageGetBytes += Math.min(length, socket.bytesWritten - before);
  });
}
