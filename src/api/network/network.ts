import { readFileSync } from 'node:fs';
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import * as tls from 'node:tls';
import { buildConnector } from 'undici';
import { withHost } from '../../lib/connection-failure.ts';
import type { ProxyAddress } from '../../lib/proxy-address.ts';
import { NO_PROXIES, type ProxyRules, portOf, proxyFor } from '../../lib/proxy-rules.ts';
import { ProxyError, unreachableProxy } from './proxy-error.ts';
import { openTunnel } from './tunnel.ts';
import { VERIFIED } from './verified.ts';

export interface NetworkOptions {
  readonly proxies: ProxyRules;
  /** Certificates in PEM, beside those that Node.js trusts by itself. */
  readonly authorities: readonly string[];
}

/** By which way the requests to an address go. */
export type Way =
  | { readonly kind: 'direct' }
  /** Of plain http: the proxy is asked for the whole address (RFC 9112, 3.2.2). */
  | { readonly kind: 'forwarded'; readonly proxy: ProxyAddress }
  /** Of https: the proxy passes on what it cannot read. */
  | { readonly kind: 'tunnel'; readonly proxy: ProxyAddress };

export interface OpeningLimits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** How connections to the service and to stores are made: directly or by proxies, and whose certificates count. */
export class Network {
  readonly #proxies: ProxyRules;
  /** Undefined: that of Node.js, which all connections share. */
  readonly #secureContext: tls.SecureContext | undefined;

  constructor({ proxies, authorities }: NetworkOptions = { proxies: NO_PROXIES, authorities: [] }) {
    this.#proxies = proxies;
    // Once: it takes milliseconds to read all the authorities.
    this.#secureContext =
      authorities.length === 0
        ? undefined
        : tls.createSecureContext({ ...VERIFIED, ca: [...usualAuthorities(), ...authorities] });
  }

  /** Throws `ProxyError` when a proxy was named that cannot be used. */
  wayTo(url: URL): Way {
    const named = proxyFor(this.#proxies, url);
    if (named === undefined) return { kind: 'direct' };
    const { from, address: proxy } = named;
    if ('unusable' in proxy) {
      throw new ProxyError(`the proxy of ${from} cannot be used: ${proxy.unusable}`, { isFinal: true });
    }
    return { kind: url.protocol === 'https:' ? 'tunnel' : 'forwarded', proxy };
  }

  /** The connector by which undici connects for requests to an origin. */
  connector(origin: URL, timeoutMs: number): buildConnector.connector {
    const build = buildConnector({
      ...VERIFIED,
      timeout: timeoutMs,
      ...(this.#secureContext && { secureContext: this.#secureContext }),
    });
    return (options, done) => {
      const named =
        (host: string): buildConnector.Callback =>
        (...[error, socket]) =>
          error === null ? done(error, socket as Socket) : done(withHost(error, host), null);
      let way: Way;
      try {
        way = this.wayTo(origin);
      } catch (error) {
        done(error as Error, null);
        return;
      }
      if (way.kind === 'direct') {
        build(options, named(options.hostname));
        return;
      }
      const { proxy } = way;
      if (way.kind === 'forwarded') {
        build(addressed(proxy), (...[error, socket]) =>
          error === null ? done(error, socket) : done(unreachableProxy(proxy, error), null),
        );
        return;
      }
      this.#tunnel(proxy, origin, { timeoutMs }).then(
        (httpSocket) => build({ ...options, httpSocket }, named(options.hostname)),
        (error: Error) => done(error, null),
      );
    };
  }

  /**
   * A socket to an origin or, for plain http by way of a proxy, to that proxy. It may still be connecting. `onread` is handed
   * what comes; through a tunnel, in buffers of the socket's own.
   */
  open(origin: URL, onread: OnReadOpts, limits: OpeningLimits): Socket | Promise<Socket> {
    const way = this.wayTo(origin);
    const host = bareHost(origin);
    if (way.kind === 'tunnel') {
      return this.#tunnel(way.proxy, origin, limits).then((socket) => {
        const secured = this.#secured({ socket, host });
        // TLS over a socket that is there already ignores `onread` (the constructor of tls.TLSSocket).
        secured.on('data', (chunk: Buffer) => onread.callback(chunk.length, chunk));
        return secured;
      });
    }
    const secure = way.kind === 'direct' ? origin.protocol === 'https:' : way.proxy.secure;
    const to =
      way.kind === 'direct' ? { host, port: portOf(origin) } : { host: way.proxy.host, port: way.proxy.port };
    return secure ? this.#secured({ ...to, onread }) : connectTcp({ ...to, onread });
  }

  /** Whether `openUnsecured` has a way to an origin: of a proxy that itself speaks TLS, only TLS knows the bytes. */
  hasUnsecured(origin: URL): boolean {
    const proxy = proxyFor(this.#proxies, origin)?.address;
    return proxy === undefined || !('unusable' in proxy || proxy.secure);
  }

  /** A TCP connection to an origin of https, over which the caller has to shake hands with `securityOf`. It may still be connecting. */
  openUnsecured(origin: URL, limits: OpeningLimits): Socket | Promise<Socket> {
    const way = this.wayTo(origin);
    if (way.kind !== 'direct') return this.#tunnel(way.proxy, origin, limits);
    return connectTcp({ host: bareHost(origin), port: portOf(origin) });
  }

  /** How `tls.connect` verifies an origin. */
  securityOf(origin: URL): tls.ConnectionOptions {
    return this.#security(bareHost(origin));
  }

  #security(host: string): tls.ConnectionOptions {
    return {
      ...VERIFIED,
      host,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
      ...(this.#secureContext && { secureContext: this.#secureContext }),
    };
  }

  #tunnel(proxy: ProxyAddress, origin: URL, limits: OpeningLimits): Promise<Socket> {
    const target = `${origin.hostname}:${portOf(origin)}`;
    return openTunnel({ proxy, target, secureContext: this.#secureContext, ...limits });
  }

  #secured(to: { host: string; port?: number; socket?: Socket; onread?: OnReadOpts }): tls.TLSSocket {
    // tls.connect hands `onread` on to net, which its types do not say.
    const options = { ...this.#security(to.host), ...to };
    return tls.connect(options);
  }
}

/** Without the brackets of an IPv6 address. */
function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function addressed({ secure, host, port }: ProxyAddress): buildConnector.Options {
  return {
    protocol: secure ? 'https:' : 'http:',
    hostname: host,
    host,
    port: String(port),
    ...(isIP(host) === 0 && { servername: host }),
  };
}

function usualAuthorities(): readonly string[] {
  // Of later lines of Node.js; it knows of every source that its command line and environment named.
  const known = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates?.('default');
  return known ?? [...tls.rootCertificates, ...extraAuthorities()];
}

/** Those that Node.js was given. It warns itself of a file that cannot be read. */
function extraAuthorities(): readonly string[] {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  try {
    return file ? [readFileSync(file, 'utf8')] : [];
  } catch {
    return [];
  }
}
