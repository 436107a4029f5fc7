import { isLoopback, listsHost } from './host-list.ts';
import type { ProxyAddress } from './proxy-address.ts';

/** A proxy that was named, and the variable or option that named it. */
export interface NamedProxy {
  readonly from: string;
  /** Where it is, or why it cannot be used. */
  readonly address: ProxyAddress | { readonly unusable: string };
}

/** Which requests go through which proxy. */
export interface ProxyRules {
  /** For `http:` addresses, and for `https:` ones. */
  readonly http?: NamedProxy | undefined;
  readonly https?: NamedProxy | undefined;
  /** Hosts that are reached without a proxy (`listsHost`). */
  readonly except: string;
  /** Whether requests to this machine itself go through the proxy too. */
  readonly loopback: boolean;
}

export const NO_PROXIES: ProxyRules = { except: '', loopback: false };

/** The proxy for an address; undefined: it is reached directly. */
export function proxyFor(rules: ProxyRules, url: URL): NamedProxy | undefined {
  const isHttps = url.protocol === 'https:';
  const proxy = isHttps ? rules.https : rules.http;
  if (proxy === undefined) return undefined;
  const host = url.hostname;
  if (!rules.loopback && isLoopback(host)) return undefined;
  return listsHost(rules.except, { host, port: portOf(url) }) ? undefined : proxy;
}

/** Also where it is the usual one, which a URL leaves out. */
export function portOf({ port, protocol }: URL): number {
  return Number(port || (protocol === 'https:' ? 443 : 80));
}
