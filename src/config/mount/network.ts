import type { Option } from '../option.ts';

const proxy: Option<string | undefined> = {
  flags: '--proxy <url>',
  help:
    'HTTP proxy for the service and its stores, such as http://proxy.example.org:3128; goes before HTTPS_PROXY, HTTP_PROXY and ' +
    'ALL_PROXY, and is used for this machine too. A user and a password go into the variable only, where ps shows them to nobody',
  environment: 'SVCFS_PROXY',
  default: undefined,
  defaultText: 'what HTTPS_PROXY, HTTP_PROXY or ALL_PROXY says',
};

const noProxy: Option<string | undefined> = {
  flags: '--no-proxy <hosts>',
  help:
    'hosts, by commas, that are reached without a proxy: names with all below them, host:port, addresses, networks such as ' +
    '10.0.0.0/8, or * for all; in place of NO_PROXY',
  environment: 'SVCFS_NO_PROXY',
  default: undefined,
  defaultText: 'what NO_PROXY says',
};

const caFile: Option<string | undefined> = {
  flags: '--ca-file <file>',
  help: 'certificates, in PEM, of authorities to trust beside the usual ones, for the service, its stores and a proxy',
  environment: 'SVCFS_CA_FILE',
  default: undefined,
  defaultText: 'the usual authorities',
};

/** How the service and its stores are reached. */
export const NETWORK = { proxy, noProxy, caFile } as const;
