import { basename, dirname, join } from 'node:path';
import type { RateLimit } from '../../../src/config/option-text.ts';
import type { Certificate } from '../../support/certificate.ts';

export interface NginxPorts {
  readonly platform: number;
  readonly extended: number;
  readonly service: number;
  readonly dav: number;
  readonly s3: number;
}

export interface NginxOptions {
  readonly directory: string;
  readonly accessLog: string;
  readonly ports: { readonly plain: Omit<NginxPorts, 'service'>; readonly secure: NginxPorts };
  /** Of every port over TLS. */
  readonly certificate: Certificate;
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

export function nginxConfiguration(options: NginxOptions): string {
  const { directory, accessLog, ports, certificate, servicePort, s3ListsPort, rateLimit } = options;
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
  access_log ${accessLog} counts;
  ${temporary.map((kind) => `${kind}_temp_path ${join(directory, 'temporary', kind)};`).join('\n  ')}
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_max_body_size 0;
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
  proxy_set_header X-Forwarded-Proto $scheme;
  proxy_request_buffering off;
  ssl_certificate ${certificate.path};
  ssl_certificate_key ${certificate.keyPath};
  ssl_protocols TLSv1.2 TLSv1.3;
  ${limitOf(rateLimit).zone}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 64; }
  upstream s3_lists { server 127.0.0.1:${s3ListsPort}; keepalive 64; }
  ${serviceServer('extended', options)}
  ${serviceServer('platform', options, WITHOUT_EXTENSIONS)}
  server {
    listen 127.0.0.1:${ports.secure.service} ssl;
    location / { proxy_pass http://service; }
  }
  ${davServer(options)}
  ${s3Server(options)}
}
`;
}

const WITHOUT_EXTENSIONS = `
    location = /v2/ {
      proxy_pass http://service;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_set_header Accept-Encoding "";
      sub_filter_types application/json;
      sub_filter '"upload_inline"' '"none"';
      sub_filter '"download_info_file"' '"none"';
    }`;

/** Both ways to a door. */
function listens(door: keyof NginxOptions['ports']['plain'], { ports }: NginxOptions): string {
  return `listen 127.0.0.1:${ports.plain[door]};
    listen 127.0.0.1:${ports.secure[door]} ssl;`;
}

function serviceServer(door: 'platform' | 'extended', options: NginxOptions, more = ''): string {
  return `server {
    ${listens(door, options)}
    location / { proxy_pass http://service; }
    location ~ ^/storage/blobs/(..)([^/]+)$ {
      root ${join(options.data, 'storage')};
      try_files /blobs/$1/$1$2 @service;
    }
    location @service { proxy_pass http://service; }${more}
  }`;
}

function davServer(options: NginxOptions): string {
  return `server {
    ${listens('dav', options)}
    root ${options.tree};
    dav_methods PUT DELETE MKCOL COPY MOVE;
    dav_ext_methods PROPFIND OPTIONS;
    ${limitOf(options.rateLimit).rule}
    create_full_put_path on;
  }`;
}

/** One ETag for everything, everywhere: clients want one, and one that changes would say that the object did. */
function s3Server(options: NginxOptions): string {
  const { tree, parts } = options;
  return `server {
    ${listens('s3', options)}
    root ${dirname(tree)};
    dav_methods PUT DELETE;
    create_full_put_path on;
    etag off;
    add_header ETag '"${S3_ETAG}"';
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
  }`;
}

/** Of the form of an MD5, as of an object that was uploaded in one piece; clients are told not to check it. */
export const S3_ETAG = '0123456789abcdef0123456789abcdef';

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
