import { ENCRYPTION_HEADER, isEncoded, type RangeHeaders } from './store-answer.ts';

/** The head of an HTTP/1.1 answer, as far as a plain range needs it. */
export interface ResponseHead extends RangeHeaders {
  readonly status: number;
  /** The connection may carry another request after this answer. */
  readonly keepAlive: boolean;
  /** How long the server keeps an idle connection; undefined when it does not say. */
  readonly idleMs: number | undefined;
  /** False for what only a whole HTTP client understands: chunks, encodings, old versions, interim answers. */
  readonly plain: boolean;
}

/** The lines of a head. */
interface HeadLines {
  /** Of HTTP/1. */
  readonly minorVersion: string;
  readonly status: number;
  /** By their names in lower case; of several the last. */
  readonly headers: ReadonlyMap<string, string>;
}

/** Parses what comes before the empty line; undefined when it is no HTTP. */
export function parseHeadLines(text: string): HeadLines | undefined {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const match = /^HTTP\/1\.([01]) (\d{3})(?: |$)/.exec(statusLine);
  if (!match) {
    return undefined;
  }
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { minorVersion: match[1] ?? '', status: Number(match[2]), headers };
}

/** As `parseHeadLines`, with what a plain range needs. */
export function parseResponseHead(text: string): ResponseHead | undefined {
  const lines = parseHeadLines(text);
  if (!lines) return undefined;
  const { minorVersion, status, headers } = lines;
  const contentEncoding = headers.get('content-encoding');
  const plain =
    minorVersion === '1' &&
    status >= 200 &&
    !headers.has('transfer-encoding') &&
    !isEncoded(contentEncoding) &&
    /^\d+$/.test(headers.get('content-length') ?? '');
  const idle = /timeout=(\d+)/i.exec(headers.get('keep-alive') ?? '');
  return {
    status,
    plain,
    keepAlive: headers.get('connection')?.toLowerCase() !== 'close',
    idleMs: idle ? Number(idle[1]) * 1000 : undefined,
    contentRange: headers.get('content-range'),
    contentLength: headers.get('content-length'),
    contentEncoding,
    contentType: headers.get('content-type'),
    etag: headers.get('etag'),
    location: headers.get('location'),
    encryption: headers.get(ENCRYPTION_HEADER),
  };
}
