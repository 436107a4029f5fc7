/**
 * How the service and its stores are reached. Proxies are named by `--proxy`, or by the variables that curl reads, in both
 * spellings: the lower one goes first, and an empty one counts as unset. A loopback address goes through no proxy, unless
 * `--proxy` (or its variable) asks for it.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { plainReason } from '../lib/plain-reason.ts';
import { parseProxy } from '../lib/proxy-address.ts';
import { type NamedProxy, NO_PROXIES, type ProxyRules, proxyFor } from '../lib/proxy-rules.ts';
import type { Environment } from './directories.ts';

/** Plain data, for another process. Its proxies hold their passwords. */
export interface NetworkSettings {
  readonly proxies: ProxyRules;
  /** Certificates in PEM, beside those that Node.js trusts by itself. */
  readonly authorities: readonly string[];
  /** Where they came from. */
  readonly caFile: string | undefined;
}

export const DIRECTLY: NetworkSettings = { proxies: NO_PROXIES, authorities: [], caFile: undefined };

export interface NetworkSources {
  readonly proxy: string | undefined;
  readonly noProxy: string | undefined;
  readonly caFile: string | undefined;
  readonly environment: Environment;
}

/** The way to the service cannot be what the options or variables ask for. The message says what to do. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

/** Throws `NetworkError` for a file or a proxy that cannot be used; a proxy matters only where the endpoint needs it. */
export async function resolveNetwork(sources: NetworkSources, endpoint: string): Promise<NetworkSettings> {
  const proxies = proxyRules(sources);
  const chosen = proxyFor(proxies, new URL(endpoint));
  if (chosen !== undefined && 'unusable' in chosen.address) {
    const { from, address } = chosen;
    throw new NetworkError(
      `the proxy of ${from} cannot be used: ${address.unusable}; give another with --proxy, or go without one by --no-proxy '*'`,
    );
  }
  const { caFile } = sources;
  return { proxies, authorities: caFile === undefined ? [] : await readAuthorities(caFile), caFile };
}

export function proxyRules({ proxy, noProxy, environment }: NetworkSources): ProxyRules {
  const except = noProxy ?? variable(environment, 'NO_PROXY')?.text ?? '';
  if (proxy !== undefined) {
    const named: NamedProxy = { from: '--proxy', address: parseProxy(proxy) };
    return { http: named, https: named, except, loopback: true };
  }
  const named = (name: string): NamedProxy | undefined => {
    const found = variable(environment, name) ?? variable(environment, 'ALL_PROXY');
    return found && { from: found.name, address: parseProxy(found.text) };
  };
  return { http: named('HTTP_PROXY'), https: named('HTTPS_PROXY'), except, loopback: false };
}

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];

/** The variables that may hold the password of a proxy, in both spellings. */
export const VARIABLES_WITH_PASSWORDS: readonly string[] = [
  'SVCFS_PROXY',
  ...PROXY_VARIABLES,
  ...PROXY_VARIABLES.map((name) => name.toLowerCase()),
];

function variable(
  environment: Environment,
  upper: string,
): { readonly name: string; readonly text: string } | undefined {
  for (const name of [upper.toLowerCase(), upper]) {
    const text = environment[name];
    if (text) return { name, text };
  }
  return undefined;
}

async function readAuthorities(path: string): Promise<readonly string[]> {
  const unusable = (reason: string, cause?: unknown): NetworkError =>
    new NetworkError(
      `cannot use the certificates of ${path}: ${reason}; give a file of certificates in PEM with --ca-file`,
      { cause },
    );
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw unusable(plainReason(error), error);
  }
  const certificates = text.match(
    /-----BEGIN (TRUSTED )?CERTIFICATE-----[\s\S]*?-----END \1?CERTIFICATE-----/g,
  );
  if (certificates === null) throw unusable('no certificate is in it');
  for (const [index, certificate] of certificates.entries()) {
    try {
      new X509Certificate(certificate);
    } catch (error) {
      throw unusable(`its certificate ${index + 1} is damaged`, error);
    }
  }
  return certificates;
}
