import { connectionFailureText } from '../../lib/connection-failure.ts';
import { type ProxyAddress, placeOf } from '../../lib/proxy-address.ts';

/** A proxy did not let a request through to its server, which has not seen it. The message names the proxy, and what to do. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** The proxy would say the same again. */
  readonly isFinal: boolean;
  /** That of the proxy; undefined when it did not answer. */
  readonly status: number | undefined;

  constructor(
    reason: string,
    options: { readonly isFinal: boolean; readonly status?: number; readonly cause?: unknown },
  ) {
    super(reason, { cause: options.cause });
    this.isFinal = options.isFinal;
    this.status = options.status;
  }
}

export const PROXY_AUTHENTICATION_REQUIRED = 407;
/** Of 4xx, those that pass: too slow, too many. */
const PASSING = new Set([408, 425, 429]);

/** For the status with which a proxy answered in place of the server at `target` (a host with its port). */
export function refusalOf(proxy: ProxyAddress, target: string, status: number): ProxyError {
  const place = placeOf(proxy);
  const host = target.replace(/:\d+$/, '');
  if (status === PROXY_AUTHENTICATION_REQUIRED) {
    const what =
      proxy.authorization === undefined
        ? 'asks for a user and a password'
        : 'refuses the user or the password';
    return new ProxyError(
      `the proxy ${place} ${what} (HTTP status 407): set SVCFS_PROXY or HTTPS_PROXY to http://USER:PASSWORD@${place}`,
      { isFinal: true, status },
    );
  }
  if (status >= 500 || PASSING.has(status)) {
    return new ProxyError(`the proxy ${place} does not reach ${target} (HTTP status ${status})`, {
      isFinal: false,
      status,
    });
  }
  return new ProxyError(
    `the proxy ${place} refuses connections to ${target} (HTTP status ${status}): ` +
      `have its operator allow them, or pass it by with --no-proxy ${host}`,
    { isFinal: true, status },
  );
}

/** For a proxy that could not be talked to. */
export function unreachableProxy(proxy: ProxyAddress, cause: unknown): ProxyError {
  return new ProxyError(
    `the proxy ${placeOf(proxy)} cannot be reached (${connectionFailureText(cause, proxy.host)}): check --proxy and HTTPS_PROXY, or name hosts to reach ` +
      'without it by --no-proxy',
    { isFinal: false, cause },
  );
}
