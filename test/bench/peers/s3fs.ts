import { BUCKET } from '../server/data-set.ts';
import type { ServerAt } from '../server/server-side.ts';
import { mountInForeground } from './foreground-mount.ts';
import type { MountPeer } from './mounted.ts';

/** Its defaults are 5 at once and 10 MB. */
const OPTIONS = ['parallel_count=16', 'multipart_size=16', 'multireq_max=50', 'max_stat_cache_size=100000'];

/** `s3fs` of nginx by S3. */
export function s3fs({
  directory,
  server,
}: {
  readonly directory: string;
  readonly server: ServerAt;
}): MountPeer {
  return {
    name: 's3fs',
    mount: () =>
      mountInForeground({
        command: 's3fs',
        args: (mountPoint, work) => {
          const url = `url=${server.origin('s3')}`;
          const options = [url, 'use_path_request_style', `tmpdir=${work}`, ...OPTIONS];
          return [BUCKET, mountPoint, '-f', ...options.flatMap((option) => ['-o', option])];
        },
        env: { AWSACCESSKEYID: 'bench', AWSSECRETACCESSKEY: 'bench', CURL_CA_BUNDLE: server.certificate },
        directory,
        server,
        door: 's3',
      }),
  };
}
