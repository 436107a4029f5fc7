import type { FastifyRequest } from 'fastify';
import { ADVANCE_ACCESS, ADVANCE_ACCESS_HEADER } from '../../contract/headers.ts';

export const API_PREFIX = '/v2';

/** How an answer must look to the client that asked: its own address of the service, and what it may see. */
export interface RequestView {
  /** `http://host:port`, as the client calls the service. */
  readonly origin: string;
  /** Advance access: `parent` and `root_folder` are shown. */
  readonly advance: boolean;
  /** The absolute address of an API path, which begins with `/`. */
  href(path: string): string;
}

/** @param request Its Host header becomes part of every address answered. */
export function requestView(request: FastifyRequest): RequestView {
  const named = `${request.protocol}://${request.host}`;
  // The caller named no host, or none that an address could hold: what it is told leads nowhere, but is well-formed.
  const origin = URL.canParse(named) ? named : `${request.protocol}://localhost`;
  const access = request.headers[ADVANCE_ACCESS_HEADER.toLowerCase()];
  return {
    origin,
    advance: typeof access === 'string' && access.toLowerCase() === ADVANCE_ACCESS,
    href: (path) => `${origin}${API_PREFIX}${path}`,
  };
}
