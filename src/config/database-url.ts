import { InvalidValue } from './option.ts';

/** A PostgreSQL connection URL, as libpq takes it. */
export function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new InvalidValue('Expected a URL such as postgresql://user@host:5432/database.');
  }
  // A user without a host, who goes to a socket, is none to URL.
  if (!URL.canParse(text.replace('@/', '@socket/'))) {
    throw new InvalidValue('It is no URL: in a password # is written %23, / %2F, ? %3F, @ %40 and % %25.');
  }
  return text;
}
