import type { Option, OptionValues } from './option.ts';
import { parseSpan } from './option-text.ts';

const olderThan: Option<number | undefined> = {
  flags: '--older-than <time>',
  help: 'only what was removed longer ago, such as 30d; whole days count',
  default: undefined,
  parse: parseSpan,
};

const json: Option<boolean> = { flags: '--json', help: 'print a line of JSON for each file', default: false };

const rename: Option<boolean> = {
  flags: '--rename',
  help: 'restore beside a file that has the name now, as NAME~1',
  default: false,
};

const force: Option<boolean> = { flags: '-f, --force', help: 'do not ask', default: false };

export const TRASH_LIST_OPTIONS = { olderThan, json } as const;
export const TRASH_RESTORE_OPTIONS = { rename } as const;
export const TRASH_EMPTY_OPTIONS = { olderThan, force } as const;

export type TrashListOptions = OptionValues<typeof TRASH_LIST_OPTIONS>;
export type TrashRestoreOptions = OptionValues<typeof TRASH_RESTORE_OPTIONS>;
export type TrashEmptyOptions = OptionValues<typeof TRASH_EMPTY_OPTIONS>;
