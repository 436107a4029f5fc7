/**
 * The rules for callers of the dashboard. Every web page that a person has open can send requests to this machine, so that the address
 * alone proves nothing:
 *
 *   Host            a page whose name was made to mean this machine (DNS rebinding) says its own name there
 *   Sec-Fetch-Site  a browser says there that another site's page asks
 *   token           in the path; who has not read the address does not know it
 *   Origin, a header of our own, JSON   no form and no script of another site can send all three
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

export interface Gate {
  readonly port: number;
  readonly token: string;
}

export interface Asked {
  readonly method?: string | undefined;
  /** Path and query, as they came. */
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

export interface Refusal {
  readonly status: number;
  /** For a person. */
  readonly text: string;
}

/** A request that may pass. */
export interface Admitted {
  readonly method: 'GET' | 'POST';
  /** Behind the token, without a slash before it: `events`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A request with this header is no form's. A script of another site would have to ask before it may send it, in vain. */
export const OWN_HEADER = 'x-svcfs-dashboard';

/** The names of this machine under which the dashboard answers. */
export function hostsOf(port: number): readonly string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

export function admit(asked: Asked, gate: Gate): Admitted | Refusal {
  return foreign(asked, gate) ?? behindToken(asked, gate);
}

/** Why a request is refused whatever its path; undefined: it comes from this machine's own page or from no page at all. */
export function foreign({ headers }: Asked, { port }: Gate): Refusal | undefined {
  const host = headers.host ?? '';
  if (!hostsOf(port).includes(host.toLowerCase())) {
    return refuse(
      403,
      `The dashboard answers at http://127.0.0.1:${port} and http://localhost:${port} only, not as "${host.slice(0, 100)}". ` +
        `From another machine: ssh -L ${port}:127.0.0.1:${port} HOST, then the address that svcfs printed.`,
    );
  }
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site !== 'same-origin' && site !== 'none') {
    return refuse(403, 'A page of another site asked. Type the address that svcfs printed, or paste it.');
  }
  return undefined;
}

function behindToken({ method, url = '', headers }: Asked, { token }: Gate): Admitted | Refusal {
  const [path = '', query] = url.split('?', 2);
  const [, given = '', ...rest] = path.split('/');
  if (!isSame(given, token) || rest.length === 0) {
    return refuse(404, 'Nothing is here. The whole address is what svcfs dashboard printed when it began.');
  }
  const admitted = { path: rest.join('/'), query: new URLSearchParams(query) };
  if (method === 'GET' || method === 'HEAD') return { ...admitted, method: 'GET' };
  if (method !== 'POST') return refuse(405, 'The dashboard is asked by GET and POST.');
  return postRefusal(headers) ?? { ...admitted, method };
}

function postRefusal(headers: IncomingHttpHeaders): Refusal | undefined {
  if (headers.origin !== `http://${headers.host}` || headers[OWN_HEADER] === undefined)
    return refuse(403, 'Only the page of the dashboard may ask for that.');
  const [type] = (headers['content-type'] ?? '').split(';');
  if (type?.trim().toLowerCase() !== 'application/json') return refuse(415, 'JSON is expected.');
  return undefined;
}

/** How long it takes says nothing of where the two differ. */
export function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

export function refuse(status: number, text: string): Refusal {
  return { status, text };
}
