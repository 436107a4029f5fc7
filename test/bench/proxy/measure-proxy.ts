import { FAR, NEAR } from '../line.ts';
import { curl, ranges } from '../peers/curl.ts';
import { mibPerSecond } from '../stage.ts';
import { startLatencyProxy } from './latency-proxy.ts';

/** The throughput of the proxy, in MiB/s: nothing measured behind it can be faster. */
export interface ProxyLimit {
  readonly oneConnection: number;
  readonly eightConnections: number;
  readonly eightFar: number;
}

/** @param port Of a server that answers GET of `path`. */
export async function measureProxy(
  { port, path, sizeBytes }: { readonly port: number; readonly path: string; readonly sizeBytes: number },
  directory: string,
): Promise<ProxyLimit> {
  const near = await startLatencyProxy(port, NEAR, directory);
  const far = await startLatencyProxy(port, FAR, directory);
  try {
    const rate = async (through: number, count: number): Promise<number> => {
      const url = `http://127.0.0.1:${through}/${path}`;
      return mibPerSecond(sizeBytes, await curl({}, ranges(url, sizeBytes, count)));
    };
    return {
      oneConnection: await rate(near.port, 1),
      eightConnections: await rate(near.port, 8),
      eightFar: await rate(far.port, 8),
    };
  } finally {
    await near.child.end();
    await far.child.end();
  }
}
