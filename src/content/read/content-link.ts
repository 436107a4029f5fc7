import type { Api } from '../../api/api.ts';
import type { FileRecord } from '../../api/model.ts';
import { ContentError, type ContentVersion } from '../ports.ts';

/** The calls that reading takes. */
export type ReadApi = Pick<Api, 'capabilities' | 'isKnownToOffer' | 'downloadOrigin' | 'buckets'> & {
  readonly files: Pick<Api['files'], 'downloadInfo' | 'downloadInfoAndFile'>;
  readonly volumes: Pick<Api['volumes'], 'downloadInfo'>;
};

/** Where a version's bytes can be had, and what the service knows of them. */
export interface ContentLink {
  readonly url: string;
  readonly sizeBytes: number | undefined;
  readonly etag: string | undefined;
}

/** A signed link to a version: the service is asked for it (one call), unless the user has the keys of its bucket. */
export async function contentLink(
  api: Omit<ReadApi, 'downloadOrigin'>,
  version: ContentVersion,
): Promise<ContentLink> {
  const options = { priority: 'data' } as const;
  if (version.kind !== 'object') return linkOfFile(await api.files.downloadInfo(version.fileId, options));
  const { volume, location } = version;
  if (api.buckets.has(volume)) return api.volumes.downloadInfo(volume, location, options);
  const capabilities = await api.capabilities(options);
  if (!capabilities.has('volume_download_info')) {
    throw new ContentError(
      'unreadable',
      `${volume}: this service gives no links to volume objects; import ${location} into a project (cp or mv) and ` +
        'read it there, or give the mount the keys of the bucket (svcfs.conf(5), BUCKETS)',
    );
  }
  return api.volumes.downloadInfo(volume, location, options);
}

/** The same of a platform file or an alias, with what the service knows of it now; undefined where it does not tell. */
export function contentLinkAndFile(
  api: Omit<ReadApi, 'downloadOrigin'>,
  version: ContentVersion,
): Promise<{ readonly link: ContentLink; readonly file: FileRecord }> | undefined {
  if (version.kind === 'object' || !api.isKnownToOffer('download_info_file')) return undefined;
  // A person may wait for what is told of the file.
  return api.files
    .downloadInfoAndFile(version.fileId, { priority: 'interactive' })
    .then(({ url, file }) => ({ link: linkOfFile({ url }), file }));
}

function linkOfFile({ url }: { readonly url: string }): ContentLink {
  return { url, sizeBytes: undefined, etag: undefined };
}
