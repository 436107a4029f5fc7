import { type ClientRequest, request } from 'node:http';
import { request as requestOverTls } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import type { ProxyAddress } from '../../lib/proxy-address.ts';
import { refusalOf, unreachableProxy } from './proxy-error.ts';
import { VERIFIED } from './verified.ts';

export interface TunnelOptions {
  readonly proxy: ProxyAddress;
  /** Host and port, IPv6 in brackets. */
  readonly target: string;
  readonly timeoutMs: number;
  readonly secureContext: SecureContext | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A connection to a server by way of a proxy (CONNECT, RFC 9110, 9.3.6). Rejects with `ProxyError`. */
export function openTunnel(options: TunnelOptions): Promise<Socket> {
  const { proxy, target, timeoutMs, signal } = options;
  return new Promise((resolve, reject) => {
    const asking = connectRequest(options);
    const timer = setTimeout(() => {
      asking.destroy(new Error(`no answer in ${timeoutMs / 1000} s`));
    }, timeoutMs);
    const abort = (): void => void asking.destroy(new Error('not wanted any more'));
    signal?.addEventListener('abort', abort, { once: true });
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    asking.once('connect', (answer, socket, head) => {
      end();
      const { statusCode: status = 0 } = answer;
      if (status < 200 || status >= 300) {
        socket.destroy();
        reject(refusalOf(proxy, target, status));
        return;
      }
      // The layer above the tunnel hears of its end.
      socket.on('error', () => undefined);
      if (head.length > 0) socket.unshift(head);
      resolve(socket as Socket);
    });
    asking.on('error', (error) => {
      end();
      reject(unreachableProxy(proxy, error));
    });
    asking.end();
  });
}

function connectRequest({ proxy, target, secureContext }: TunnelOptions): ClientRequest {
  const { secure, host, port, authorization } = proxy;
  const common = {
    host,
    port,
    method: 'CONNECT',
    path: target,
    headers: { host: target, ...(authorization && { 'proxy-authorization': authorization }) },
    agent: false,
  } as const;
  if (!secure) return request(common);
  return requestOverTls({
    ...common,
    ...VERIFIED,
    ...(isIP(host) === 0 && { servername: host }),
    ...(secureContext && { secureContext }),
  });
}
