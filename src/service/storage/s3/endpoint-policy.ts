import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

/**
 * Refuses a volume's endpoint that leads anywhere but the public internet. Any user may create a volume, and the service
 * would connect for them: to itself, to its neighbours, and to the metadata services of clouds. These hand out the
 * credentials of the machine that asks. The operator allows stores on the operator's own networks.
 *
 * A caller that connects must ask again with the addresses that it resolved, and connect to those. A name may lead
 * elsewhere the next time.
 *
 * @param host Of an endpoint's URL: a name, or an address in any form that a URL may have it in (`[::ffff:a9fe:a9fe]`,
 *   `0xa9fea9fe`, `2852039166`). Without a port.
 * @param resolved Addresses that the name leads to; empty when it was not resolved.
 * @param allowed The operator's exceptions: names, addresses, networks (`169.254.7.0/24`).
 * @returns Why the endpoint is refused, as the rest of a sentence that begins with "the endpoint"; undefined when it is not.
 */
export function refusedEndpoint(
  host: string,
  resolved: readonly string[],
  allowed: readonly string[],
): string | undefined {
  const canonical = canonicalHost(host);
  if (canonical === undefined) return `names no valid host: ${host}`;
  const exceptions = allowed.map((entry) => canonicalHost(entry) ?? entry);
  if (exceptions.includes(canonical)) return undefined;
  if (METADATA_NAMES.has(canonical)) return refusal(canonical, 'is a metadata service');
  const addresses = isIP(canonical) === 0 ? resolved.map(withoutZone) : [canonical];
  const networks = networksOf(exceptions);
  const isLocal = LOCAL_NAME.test(canonical) && addresses.length === 0;
  if (!isLocal && addresses.every((address) => !isRefused(address) || contains(networks, address)))
    return undefined;
  // Without the address that a name leads to: that may be known inside only.
  return refusal(canonical, 'is a loopback, private, link-local or metadata address');
}

function refusal(host: string, what: string): string {
  return `${host} ${what}; the operator of the service can allow it (--allow-endpoint)`;
}

/** Names that lead to the machine itself wherever they are resolved (RFC 6761). */
const LOCAL_NAME = /^(.*\.)?localhost$/;

const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** IPv4 networks and single addresses (RFC 6890); IPv6 addresses that embed them are refused too. */
const REFUSED_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3],
  // The metadata service of Azure, which is outside of all these.
  ['168.63.129.16', 32],
];

const REFUSED_IPV6: readonly (readonly [string, number])[] = [
  ['::', 127],
  // Private, among them the metadata services of AWS, Google and Scaleway.
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // Teredo, and translation for one site: they lead to IPv4 addresses that are not easily seen.
  ['2001::', 32],
  ['64:ff9b:1::', 48],
];

/** Prefixes under which an IPv6 address carries an IPv4 address next (RFC 4291, 2765, 6052, 3056), and their length in bits. */
const EMBEDDING: readonly (readonly [prefix: string, bits: number])[] = [
  ['::ffff:', 96],
  ['::ffff:0:', 96],
  ['::', 96],
  ['64:ff9b::', 96],
  ['2002:', 16],
];

const REFUSED = refusedNetworks();

function refusedNetworks(): BlockList {
  const list = new BlockList();
  for (const [address, bits] of REFUSED_IPV6) list.addSubnet(address, bits, 'ipv6');
  for (const [address, bits] of REFUSED_IPV4) {
    list.addSubnet(address, bits, 'ipv4');
    for (const [prefix, prefixBits] of EMBEDDING) {
      const end = prefixBits === 96 ? '' : '::';
      list.addSubnet(`${prefix}${hexOf(address)}${end}`, prefixBits + bits, 'ipv6');
    }
  }
  return list;
}

function isRefused(address: string): boolean {
  return contains(REFUSED, address);
}

function contains(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** The addresses and networks among the operator's exceptions. */
function networksOf(exceptions: readonly string[]): BlockList {
  const list = new BlockList();
  for (const entry of exceptions) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address);
    if (family === 0) continue;
    const type = family === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, type);
    else if (/^\d{1,3}$/.test(bits))
      list.addSubnet(address, Math.min(Number(bits), family === 6 ? 128 : 32), type);
  }
  return list;
}

/** One spelling for each host, as a URL would have it: addresses canonical and without brackets, names in lower case. */
function canonicalHost(host: string): string | undefined {
  // The text after these would be taken for another part of a URL, and dropped.
  if (/[/?#\\@]/.test(host)) return undefined;
  const bare = /^\[(.*)\]$/.exec(host)?.[1] ?? host;
  const ascii = domainToASCII(isIP(bare) === 6 ? `[${withoutZone(bare)}]` : bare);
  const canonical = ascii.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return canonical === '' ? undefined : canonical;
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

function hexOf(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}
