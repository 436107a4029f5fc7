import type { Api } from '../../api/api.ts';
import { ContentError, type ContentVersion } from '../ports.ts';

/** Where a version's bytes can be had, and what the service knows of them. */
export interface ContentLink {
  readonly url: string;
  readonly sizeBytes: number | undefined;
  readonly etag: string | undefined;
}

/** Asks the service for a signed link to a version (one call). */
export async function contentLink(
  api: Api,
  version: ContentVersion,
  signal?: AbortSignal,
): Promise<ContentLink> {
  const options = { signal, priority: 'data' } as const;
  if (version.kind !== 'object') {
    const { url } = await api.files.downloadInfo(version.fileId, options);
    return { url, sizeBytes: undefined, etag: undefined };
  }
  const capabilities = await api.capabilities(options);
  if (!capabilities.has('volume_download_info')) {
    throw new ContentError(
      'unreadable',
      `${version.volume}: this service gives no links to volume objects; import ${version.location} into a project ` +
        '(cp or mv) and read it there',
    );
  }
  return api.volumes.downloadInfo(version.volume, version.location, options);
}
