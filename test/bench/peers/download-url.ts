import type { Door, ServerAt } from '../server/server-side.ts';

/** The signed address of a file, as a mount of that door would get it. */
export async function downloadUrl(
  { apiAt, dataSet }: ServerAt,
  { door, path }: { readonly door: Door; readonly path: string },
): Promise<string> {
  const api = apiAt(door);
  try {
    const { url } = await api.files.downloadInfo(dataSet.ids.get(path) ?? path);
    return url;
  } finally {
    await api.close();
  }
}
