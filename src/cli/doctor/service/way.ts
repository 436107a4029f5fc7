import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Network } from '../../../api/network/network.ts';
import { ProxyError } from '../../../api/network/proxy-error.ts';
import type { NetworkSettings } from '../../../config/network.ts';
import { connectionFailureText } from '../../../lib/connection-failure.ts';
import { errorCode } from '../../../lib/error-code.ts';
import { placeOf } from '../../../lib/proxy-address.ts';
import { portOf, proxyFor } from '../../../lib/proxy-rules.ts';
import { type Finding, fault, ok, warning } from '../../finding.ts';
import { checkName } from './name.ts';

/** For one connection. */
const PATIENCE_MS = 4000;
const DAY_MS = 86_400_000;
const RENEW_DAYS = 14;

/** The host that this machine connects to: the endpoint's, or that of a proxy. */
interface FirstHost {
  readonly host: string;
  readonly port: number;
  readonly isProxy: boolean;
}

/** The way to an endpoint, step by step. The steps after one that fails are left out. */
export async function checkWay(
  endpoint: URL,
  { network, settings }: { readonly network: Network; readonly settings: NetworkSettings },
): Promise<readonly Finding[]> {
  const first = firstHost(endpoint, settings);
  const proxy = proxyFinding(endpoint, settings);
  const name = await checkName(first.host);
  if (name.state === 'fault') return [proxy, name];
  const connected = await checkConnection(first);
  if (connected.state === 'fault' || endpoint.protocol !== 'https:') return [proxy, name, connected];
  const certificate = await checkCertificate(endpoint, network);
  return certificate.check === 'proxy'
    ? [certificate, name, connected]
    : [proxy, name, connected, certificate];
}

function firstHost(endpoint: URL, { proxies }: NetworkSettings): FirstHost {
  const address = proxyFor(proxies, endpoint)?.address;
  if (address !== undefined && 'host' in address) return { ...address, isProxy: true };
  const host = endpoint.hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: portOf(endpoint), isProxy: false };
}

function proxyFinding(endpoint: URL, { proxies }: NetworkSettings): Finding {
  const named = proxyFor(proxies, endpoint);
  if (named === undefined || !('host' in named.address)) return ok('proxy', 'none');
  return ok('proxy', `${placeOf(named.address)}, of ${named.from}`);
}

async function checkConnection({ host, port, isProxy }: FirstHost): Promise<Finding> {
  const what = isProxy ? `the proxy ${host}, port ${port}` : `${host}, port ${port}`;
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return ok('connection', what);
  } catch (error) {
    const isRefused = errorCode(error) === 'ECONNREFUSED';
    const how = isRefused ? 'nobody listens at' : 'no answer from';
    const remedy = isProxy
      ? `export SVCFS_NO_PROXY='*'   # to go without the proxy; or correct SVCFS_PROXY, HTTPS_PROXY`
      : `nc -zv ${host} ${port}   # start the service, or correct the port: svcfs login --endpoint URL`;
    return fault('connection', `${how} ${what}`, { remedy });
  } finally {
    socket.destroy();
  }
}

async function checkCertificate(endpoint: URL, network: Network): Promise<Finding> {
  let socket: Socket | undefined;
  try {
    const onread = { buffer: Buffer.alloc(1), callback: () => true };
    socket = await network.open(endpoint, onread, { timeoutMs: PATIENCE_MS });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(PATIENCE_MS) });
    return describeCertificate(socket as TLSSocket);
  } catch (error) {
    if (error instanceof ProxyError) return proxyFault(error, endpoint);
    return fault('certificate', connectionFailureText(error, endpoint.hostname), {
      remedy: remedyFor(errorCode(error), endpoint),
    });
  } finally {
    socket?.destroy();
  }
}

function describeCertificate(socket: TLSSocket): Finding {
  const { valid_to: end, issuer } = socket.getPeerCertificate();
  const endMs = Date.parse(end);
  const found = `good until ${new Date(endMs).toISOString().slice(0, 10)}, by ${issuer.O ?? issuer.CN}`;
  return endMs - Date.now() < RENEW_DAYS * DAY_MS
    ? warning('certificate', `${found}: it ends soon`, { remedy: '# have its operator renew it' })
    : ok('certificate', found);
}

function remedyFor(code: string | undefined, { host }: URL): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return 'date   # if that is right, its operator has to renew the certificate';
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return 'svcfs login --endpoint URL   # with a name that the certificate has';
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `svcfs login --endpoint http://${host}/v2`;
    default:
      return 'export SVCFS_CA_FILE=/path/to/authority.pem   # if it is the right server';
  }
}

/** A proxy that was reached and lets nothing through. */
export function proxyFault(error: ProxyError, { hostname }: URL): Finding {
  const isKey = error.status === 407;
  return fault('proxy', error.message.replace(/: (?:set|have its operator|check) .*$/, ''), {
    remedy: isKey
      ? 'export SVCFS_PROXY=http://USER:PASSWORD@HOST:PORT   # as the proxy asks'
      : `export SVCFS_NO_PROXY=${hostname}   # if it can be reached without; else have the operator allow it`,
  });
}
