import { checkDepth } from './body-depth.ts';
import { ServiceError } from './service-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A JSON body. Nothing at all and `null` are no body: the public client sends `null` on every call without one. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  return checkDepth(parse(bytes) ?? undefined);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    throw new ServiceError(90000, 'The body is not valid JSON in UTF-8.', { cause: error });
  }
}
