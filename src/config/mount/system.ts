import type { Option } from '../option.ts';
import {
  type ListenAddress,
  parseCollector,
  parseDirectory,
  parseOwnAddress,
  parseSizeFrom,
} from '../option-text.ts';

const foreground: Option<boolean> = {
  flags: '--foreground',
  help: 'stay in the foreground, and unmount on Ctrl-C',
  default: false,
};

const mountedOn: Option<string | undefined> = {
  flags: '--mounted-on <directory>',
  help:
    'with /dev/fd/N: the directory that the descriptor is mounted on, by which other commands then know the mount, and by which ' +
    'the next one finds unfinished uploads',
  default: undefined,
  defaultText: 'what the kernel tells, else /dev/fd/N',
  parse: parseDirectory,
};

const noexec: Option<boolean> = {
  flags: '--noexec',
  help: 'let no program be started from the mount',
  default: false,
};

const driver: Option<'native' | 'fuse-native'> = {
  flags: '--driver <name>',
  help: 'how to talk to the kernel: the addon of svcfs, or the npm package fuse-native, which is slower and does less. On macOS there is only that, and it is untried there',
  environment: 'SVCFS_DRIVER',
  default: 'native',
  choices: ['native', 'fuse-native'],
};

const logLevel: Option<'error' | 'warn' | 'info' | 'debug'> = {
  flags: '--log-level <level>',
  help: 'the least severe messages that go to the log',
  environment: 'SVCFS_LOG_LEVEL',
  default: 'info',
  choices: ['error', 'warn', 'info', 'debug'],
};

const logFormat: Option<'json' | 'text'> = {
  flags: '--log-format <format>',
  help: 'how the log is written; svcfs log shows either as text',
  environment: 'SVCFS_LOG_FORMAT',
  default: 'json',
  choices: ['json', 'text'],
};

const logSize: Option<number> = {
  flags: '--log-size <size>',
  help: 'size of the log beyond which it is rotated; three old files are kept, of this size each',
  environment: 'SVCFS_LOG_SIZE',
  default: 16 * 1024 * 1024,
  defaultText: '16M',
  parse: parseSizeFrom('64K'),
};

const metrics: Option<ListenAddress | undefined> = {
  flags: '--metrics <address>',
  help:
    'answer /metrics for Prometheus, to anyone who asks, at a port of 127.0.0.1 or at HOST:PORT; port 0 picks a free one. ' +
    'The file .svcfs/metrics of the mount has the same',
  environment: 'SVCFS_METRICS',
  default: undefined,
  defaultText: 'nowhere',
  parse: parseOwnAddress,
};

const otlp: Option<string | undefined> = {
  flags: '--otlp <url>',
  help:
    'send traces to a collector of OpenTelemetry, as JSON over HTTP: http://127.0.0.1:4318. They have operations that asked the ' +
    'service or were slow, and its requests with their ids; no names, paths or contents of files',
  environment: 'SVCFS_OTLP',
  default: undefined,
  defaultText: 'nowhere',
  parse: parseCollector,
};

const verbose: Option<boolean> = {
  flags: '-v, --verbose',
  help: 'say where each option comes from, and log everything',
  default: false,
};

const quiet: Option<boolean> = {
  flags: '--quiet',
  help: 'print nothing but warnings and errors',
  default: false,
};

const notify: Option<boolean> = {
  flags: '--notify',
  help:
    'tell the desktop by notify-send when uploads have ended that took longer than ten seconds, all of them in one notice, ' +
    'and of each file that cannot be uploaded',
  environment: 'SVCFS_NOTIFY',
  default: false,
};

const dryRun: Option<boolean> = {
  flags: '--dry-run',
  help: 'look whether the options and the mount point are right and a token is there; ask no service, and mount nothing',
  default: false,
};

const options: Option<readonly string[] | undefined> = {
  flags: '-o, --options <list>',
  help: 'options as mount(8) takes them, by names without dashes: -o ro,metadata-ttl=30; \\, stands for a comma in a value',
  default: undefined,
  collect: true,
};

/** How the process of a mount runs. */
export const SYSTEM = {
  foreground,
  mountedOn,
  noexec,
  driver,
  logLevel,
  logFormat,
  logSize,
  metrics,
  otlp,
  notify,
  verbose,
  quiet,
  dryRun,
  options,
} as const;
