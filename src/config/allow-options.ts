import type { Option, OptionValues } from './option.ts';
import { parseCountFrom, parseSpan } from './option-text.ts';

const LARGEST_PID = 2 ** 22;

const pid: Option<number | undefined> = {
  flags: '--pid <pid>',
  help: 'let the program with this process go on, its whole process group, and no other',
  default: undefined,
  parse: parseCountFrom(1, LARGEST_PID),
};

const forMs: Option<number> = {
  flags: '--for <time>',
  help: 'how long, such as 90s, 30m or 12h',
  default: 600_000,
  defaultText: '10m',
  parse: parseSpan,
};

export const ALLOW_OPTIONS = { pid, for: forMs } as const;
export type AllowOptions = OptionValues<typeof ALLOW_OPTIONS>;
