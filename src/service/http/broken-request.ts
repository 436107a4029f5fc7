import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/** Answers what Node cannot parse as a request: too large headers, slow senders, nonsense. There is no request object. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF.get(error.code) ?? 400;
  const message = 'The request is not valid HTTP.';
  const body = JSON.stringify({ status, code: 90000, message, more_info: '' });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const STATUS_OF = new Map<string | undefined, number>([
  ['HPE_HEADER_OVERFLOW', 431],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);
