import { basename, dirname, join } from 'node:path';
import type { RateLimit } from '../../../src/config/option-text.ts';

export interface NginxPorts {
  readonly platform: number;
  readonly extended: number;
  readonly dav: number;
  readonly s3: number;
}

export interface NginxOptions {
  readonly directory: string;
  readonly accessLog: string;
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

export function nginxConfiguration(options: NginxOptions): string {
  const { directory, accessLog, ports, servicePort, s3ListsPort, data, rateLimit } = options;
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
  proxy_request_buffering off;
  ${limitOf(rateLimit).zone}
  upstream service { server 127.0.0.1:${servicePort}; keepalive 64; }
  upstream s3_lists { server 127.0.0.1:${s3ListsPort}; keepalive 64; }
  ${serviceServer(ports.extended, data)}
  ${serviceServer(ports.platform, data, WITHOUT_EXTENSIONS)}
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
      proxy_set_header Accept-Encoding "";
      sub_filter_types application/json;
      sub_filter '"upload_inline"' '"none"';
      sub_filter '"download_info_file"' '"none"';
    }`;

function serviceServer(port: number, data: string, more = ''): string {
  return `server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://service; }
    location ~ ^/storage/blobs/(..)([^/]+)$ {
      root ${join(data, 'storage')};
      try_files /blobs/$1/$1$2 @service;
    }
    location @service { proxy_pass http://service; }${more}
  }`;
}

function davServer({ ports, tree, rateLimit }: NginxOptions): string {
  return `server {
    listen 127.0.0.1:${ports.dav};
    root ${tree};
    dav_methods PUT DELETE MKCOL COPY MOVE;
    dav_ext_methods PROPFIND OPTIONS;
    ${limitOf(rateLimit).rule}
    create_full_put_path on;
  }`;
}

/** One ETag for everything, everywhere: clients want one, and one that changes would say that the object did. */
function s3Server({ ports, tree, parts }: NginxOptions): string {
  return `server {
    listen 127.0.0.1:${ports.s3};
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
