/**
 * The server that every peer reads from: one nginx on one directory.
 *
 *     platform   the service as the platform is, without the capabilities upload_inline and download_info_file: its API by
 *                proxy, its download addresses straight from its blobs (the service names its addresses after the Host it
 *                was called by, so a mount of this port reads from nginx)
 *     extended   the same with these two
 *     service    over TLS alone: the service, which does not speak it
 *     dav        WebDAV, for rclone
 *     s3         just enough of S3 for s3fs and rclone: objects by nginx, lists and multipart by s3-lists.ts; signatures are
 *                not looked at
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '../../support/wait-until.ts';
import { Child } from '../measure/child.ts';
import { type NginxOptions, nginxConfiguration } from './nginx-configuration.ts';

export interface Nginx {
  readonly child: Child;
  readonly accessLog: string;
}

export async function startNginx(options: Omit<NginxOptions, 'accessLog'>): Promise<Nginx> {
  const { directory, ports } = options;
  await mkdir(join(directory, 'temporary'), { recursive: true });
  const file = join(directory, 'nginx.conf');
  const accessLog = join(directory, 'access.log');
  await writeFile(file, nginxConfiguration({ ...options, accessLog }));
  const log = join(directory, 'nginx.log');
  const child = await Child.start('nginx', ['-c', file, '-e', log], { log });
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${ports.plain.dav}/`).then(
      () => true,
      () => false,
    );
  await waitUntil(answers, { what: 'nginx' });
  return { child, accessLog };
}
