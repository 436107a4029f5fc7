import type { Option, OptionValues } from './option.ts';
import { parseDirectory } from './option-text.ts';

const detach: Option<boolean> = {
  flags: '--detach',
  help: 'return once the mount is usable, and leave it running until --stop',
  default: false,
};

const stop: Option<boolean> = {
  flags: '--stop',
  help: 'end the service and the mount',
  default: false,
};

const data: Option<string | undefined> = {
  flags: '--data <dir>',
  help: 'where the service keeps everything',
  default: undefined,
  defaultText: 'a directory of its own below ~/.local/state/svcfs',
  parse: parseDirectory,
};

export const DEMO_OPTIONS = { detach, stop, data } as const;

export type DemoOptions = OptionValues<typeof DEMO_OPTIONS>;
