import { BlockList, isIP } from 'node:net';

/**
 * Whether a list of hosts, by commas or blanks, names a host and port. The rules are those of curl for NO_PROXY, and a port may
 * follow a host:
 *
 * | entry                                 | names                                      |
 * |---------------------------------------|--------------------------------------------|
 * | `*`                                   | every host                                 |
 * | `lab.org`, `.lab.org`, `*.lab.org`    | `lab.org` and all names below it           |
 * | `lab.org:8080`, `[::1]:8080`          | the same, at this port only                |
 * | `10.1.2.3`, `::1`, `[::1]`            | this address                               |
 * | `10.0.0.0/8`, `fd00::/8`              | the addresses of this network              |
 *
 * Names are not looked up: an address in the list names no host that is given by its name.
 */
export function listsHost(
  list: string,
  { host, port }: { readonly host: string; readonly port: number },
): boolean {
  const asked = bare(host.toLowerCase());
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => names(entry, asked, port));
}

/** Whether the host is this machine itself. */
export function isLoopback(host: string): boolean {
  return listsHost('localhost 127.0.0.0/8 ::1 ::ffff:127.0.0.0/104', { host, port: 0 });
}

function names(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  const [whose, itsPort] = withoutPort(entry);
  if (itsPort !== undefined && itsPort !== port) return false;
  const family = isIP(host);
  if (family !== 0) return holdsAddress(whose, host, family === 4 ? 'ipv4' : 'ipv6');
  const name = bare(whose.replace(/^\*?\./, ''));
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

function withoutPort(entry: string): readonly [string, number | undefined] {
  const match = /^(\[[^\]]*\](?:\/\d+)?|[^:]*):(\d+)$/.exec(entry);
  return match ? [match[1] ?? '', Number(match[2])] : [entry, undefined];
}

function holdsAddress(entry: string, address: string, family: 'ipv4' | 'ipv6'): boolean {
  const [network = '', bits] = entry.replace(/[[\]]/g, '').split('/');
  if (isIP(network) !== (family === 'ipv4' ? 4 : 6)) return false;
  const most = family === 'ipv4' ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  if (bits === '' || !(length <= most)) return false;
  const addresses = new BlockList();
  addresses.addSubnet(network, length, family);
  return addresses.check(address, family);
}

/** Without the brackets of an IPv6 address, and without the dot that ends a name of the whole DNS. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}
