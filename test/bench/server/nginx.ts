/**
 * The server that every peer reads from: one nginx on one directory.
 *
 *     platform   the service: its API by proxy, its download addresses straight from its blobs (the service names its
 *                addresses after the Host it was called by, so a mount of this port reads from nginx)
 *     plain      the service without the capabilities upload_inline and download_info_file, which the platform does not have
 *     dav        WebDAV, for rclone
 *     s3         just enough of S3 for s3fs: objects by nginx, lists and multipart by s3-lists.ts; signatures are not looked at
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { RateLimit } from '../../../src/config/option-text.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { Child } from '../measure/child.ts';

export interface NginxPorts {
  readonly platform: number;
  readonly plain: number;
  readonly dav: number;
  readonly s3: number;
}

export interface NginxOptions {
  readonly directory: string;
  readonly ports: NginxPorts;
  readonly servicePort: number;
  readonly s3ListsPort: number;
  readonly data: string;
  /** Its name is the bucket's. */
  readonly tree: string;
  /** Parts of S3 uploads. */
  readonly parts: string;
  /** Of `dav`; the others have what the service has. */
  readonly rateLimit: RateLimit | 'off';
}

export interface Nginx {
  readonly child: Child;
  readonly accessLog: string;
}

export async function startNginx(options: NginxOptions): Promise<Nginx> {
  const { directory, ports } = options;
  await mkdir(join(directory, 'temporary'), { recursive: true });
  const file = join(directory, 'nginx.conf');
  await writeFile(file, configuration(options));
  const log = join(directory, 'nginx.log');
  const child = await Child.start('nginx', ['-c', file, '-e', log], { log });
  const answers = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${ports.dav}/`).then(
      () => true,
      () => false,
    );
  await waitUntil(answers, { what: 'nginx' });
  return { child, accessLog: accessLogOf(directory) };
}

function accessLogOf(directory: string): string {
  return join(directory, 'access.log');
}

function configuration({
  directory,
  ports,
  servicePort,
  s3ListsPort,
  data,
  tree,
  parts,
  rateLimit,
}: NginxOptions): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
user root;
worker_processes 2;
pid ${join(directory, 'nginx.pid')};
load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
events { worker_connections 4096; }
http {
  log_format counts '$server_port $request_method $uri $status $bytes_sent';
  access_log ${accessLogOf(directory)} counts;
  ${temporary.map((kind) => `${kind}_temp_path ${join(directory, 'temporary', kind)};`).join('\n  ')}
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_max_body_size 0;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_request_buffering off;
  # A part's ETag: s3fs wants one and believes any.
  map $request_method $etag_of_put { PUT '"0123456789abcdef0123456789abcdef"'; default ''; }
  ${limitOf(rateLimit).zone}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 64; }
  upstream s3_lists { server 127.0.0.1:${s3ListsPort}; keepalive 64; }
  server {
    listen 127.0.0.1:${ports.platform};
    location / { proxy_pass http://service; }
    location ~ ^/storage/blobs/(..)([^/]+)$ {
      root ${join(data, 'storage')};
      try_files /blobs/$1/$1$2 @service;
    }
    location @service { proxy_pass http://service; }
  }
  server {
    listen 127.0.0.1:${ports.plain};
    location / { proxy_pass http://service; }
    location = /v2/ {
      proxy_pass http://service;
      proxy_set_header Accept-Encoding "";
      sub_filter_types application/json;
      sub_filter '"upload_inline"' '"none"';
      sub_filter '"download_info_file"' '"none"';
    }
  }
  server {
    listen 127.0.0.1:${ports.dav};
    root ${tree};
    dav_methods PUT DELETE MKCOL COPY MOVE;
    dav_ext_methods PROPFIND OPTIONS;
    ${limitOf(rateLimit).rule}
    create_full_put_path on;
  }
  server {
    listen 127.0.0.1:${ports.s3};
    root ${dirname(tree)};
    dav_methods PUT DELETE;
    create_full_put_path on;
    add_header ETag $etag_of_put;
    error_page 301 =404 @absent;
    error_page 418 = @lists;
    if ($request_method = POST) { return 418; }
    if ($http_x_amz_copy_source) { return 418; }
    if ($arg_partNumber) { rewrite ^ /.parts/$arg_uploadId/$arg_partNumber last; }
    location ~ /$ { proxy_pass http://s3_lists; }
    location = /${basename(tree)} { proxy_pass http://s3_lists; }
    location /.parts/ { alias ${parts}/; }
    location @lists { proxy_pass http://s3_lists; }
    location @absent { return 404; }
  }
}
`;
}

/** A leaky bucket: nginx counts no windows. */
function limitOf(rateLimit: NginxOptions['rateLimit']): { readonly zone: string; readonly rule: string } {
  if (rateLimit === 'off') return { zone: '', rule: '' };
  const { requests, windowSeconds } = rateLimit;
  const aMinute = Math.round((60 * requests) / windowSeconds);
  return {
    zone: `limit_req_zone $server_port zone=limited:1m rate=${aMinute}r/m;`,
    rule: `limit_req zone=limited burst=${requests - 1} nodelay;\n    limit_req_status 429;`,
  };
}
