import { createApi } from '../../../src/api/create-api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Door, ServerSide } from '../server/server-side.ts';

/** The signed address of a file, as a mount of that door would get it. */
export async function downloadUrl(
  { port, dataSet }: ServerSide,
  { door, latencyMs, path }: { readonly door: Door; readonly latencyMs: number; readonly path: string },
): Promise<string> {
  const endpoint = `http://127.0.0.1:${port(door, latencyMs)}/v2`;
  const api = createApi({ endpoint, token: dataSet.token, clock: systemClock });
  try {
    const { url } = await api.files.downloadInfo(dataSet.ids.get(path) ?? path);
    return url;
  } finally {
    await api.close();
  }
}
