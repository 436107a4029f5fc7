import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import type { Line } from '../line.ts';
import { Child } from '../measure/child.ts';
import { nativeProgram } from '../measure/native-program.ts';

export interface LatencyProxy {
  readonly port: number;
  readonly child: Child;
}

/** Starts native/latency-proxy.cc in front of a port of this machine. It forwards TLS as any bytes. */
export async function startLatencyProxy(
  targetPort: number,
  line: Line,
  directory: string,
): Promise<LatencyProxy> {
  const log = join(directory, `latency-proxy-${targetPort}-${line.latencyMs}.log`);
  const { latencyMs, mbitPerSecond = 0 } = line;
  const child = await Child.start(
    nativeProgram('latency-proxy'),
    [String(targetPort), String(latencyMs * 1000), String((mbitPerSecond * 1_000_000) / 8)],
    { log },
  );
  const said = async (): Promise<string | undefined> =>
    /listening on (\d+)/.exec(await readFile(log, 'utf8'))?.[1];
  await waitUntil(async () => (await said()) !== undefined, { what: 'the latency proxy' });
  return { port: Number(await said()), child };
}
