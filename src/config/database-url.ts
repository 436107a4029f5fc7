import { InvalidValue } from './option.ts';

/** A PostgreSQL connection URL, as libpq takes it. */
export function parseDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new InvalidValue('Expected a URL such as postgresql://user@host:5432/database.');
  }
  return text;
}
