import type { Option } from '../option.ts';

const foreground: Option<boolean> = {
  flags: '--foreground',
  help: 'stay in the foreground, and unmount on Ctrl-C',
  default: false,
};

const driver: Option<'native' | 'fuse-native'> = {
  flags: '--driver <name>',
  help: 'how to talk to the kernel: the addon of svcfs, or the npm package fuse-native, which is slower and does less',
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

/** How the process of a mount runs. */
export const SYSTEM = { foreground, driver, logLevel } as const;
