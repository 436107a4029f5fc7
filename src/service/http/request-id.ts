import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_HEADER } from '../../contract/headers.ts';
import { randomId } from '../../lib/random-id.ts';

/** Ids that can stand in a log and in a header as they are. */
const SANE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The id that a proxy or the caller gave the request, so that one id runs through all logs; else one of our own. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER.toLowerCase()];
  return typeof given === 'string' && SANE.test(given) ? given : randomId();
}
