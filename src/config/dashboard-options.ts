import { InvalidValue, type Option, type OptionValues } from './option.ts';

const port: Option<number> = {
  flags: '--port <number>',
  help: 'port of 127.0.0.1 to serve the page on',
  default: 0,
  defaultText: 'any that is free',
  parse: parsePort,
};

const open: Option<boolean | undefined> = {
  flags: '--open',
  help: 'open the page in a browser',
  default: undefined,
  defaultText: 'where there is a desktop',
};

/** Its value is that of `open`. */
const noOpen: Option<boolean | undefined> = {
  flags: '--no-open',
  help: 'open no browser',
  default: undefined,
};

export const DASHBOARD_OPTIONS = { port, open, noOpen } as const;
export type DashboardOptions = Omit<OptionValues<typeof DASHBOARD_OPTIONS>, 'noOpen'>;

function parsePort(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65_535)
    throw new InvalidValue('Expected a port from 1 to 65535, or 0 for any that is free.');
  return number;
}
