/** The address of an HTTP proxy, and the credentials for it. */
export interface ProxyAddress {
  /** It is spoken to over TLS. */
  readonly secure: boolean;
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
  /** Of the header `Proxy-Authorization`. A secret. */
  readonly authorization?: string | undefined;
}

/** As curl has it: RFC 1928 gave that port to SOCKS, and curl gives it to every proxy without one. */
const USUAL_PORT = 1080;
const USUAL_SECURE_PORT = 443;

/** Reads `[http://|https://][USER:PASSWORD@]HOST[:PORT]`; or says why no proxy can be used that is given so, without its password. */
export function parseProxy(text: string): ProxyAddress | { readonly unusable: string } {
  const [, scheme = 'http', rest = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/is.exec(text.trim()) ?? [];
  const kind = scheme.toLowerCase();
  if (kind.startsWith('socks'))
    return { unusable: `it is a ${kind} proxy, and svcfs speaks to HTTP proxies only` };
  if (kind !== 'http' && kind !== 'https')
    return { unusable: `${kind}:// is no kind of proxy that svcfs knows` };
  // Not of the scheme itself, whose usual port a URL forgets.
  const address = `svcfs://${rest}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const host = url?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '';
  if (url === undefined || host === '' || /[^a-z0-9._:-]/i.test(host)) {
    return { unusable: 'it is no address such as http://proxy.example.org:3128' };
  }
  const secure = kind === 'https';
  return {
    secure,
    host,
    port: Number(url.port || (secure ? USUAL_SECURE_PORT : USUAL_PORT)),
    ...(url.username !== '' && { authorization: basic(url) }),
  };
}

/** Where a proxy is, as messages name it: without the password. */
export function placeOf({ host, port }: ProxyAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Of RFC 7617. */
function basic({ username, password }: URL): string {
  const pair = `${decoded(username)}:${decoded(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
