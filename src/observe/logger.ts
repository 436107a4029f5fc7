import { pino } from 'pino';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Structured fields of a line. Keys used everywhere: op, path, errno, reason, requestId, ms, err. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What the subsystems take: a line is its fields and a short constant text. */
export interface Logger {
  error(fields: LogFields, text: string): void;
  warn(fields: LogFields, text: string): void;
  info(fields: LogFields, text: string): void;
  debug(fields: LogFields, text: string): void;
}

/** Fields that hold secrets, at the top of a line or one or two levels down. */
const SECRET_FIELDS = ['token', 'auth_token', 'secret_access_key', 'authorization', '["x-svc-auth-token"]'];
const REDACTED_PATHS = SECRET_FIELDS.flatMap((field) => {
  const below = field.startsWith('[') ? `*${field}` : `*.${field}`;
  return [field, below, `*.${below}`];
});

/** The query of a URL: in a signed one it is the signature. */
const URL_QUERY = /(https?:\/\/[^\s"'?]+)\?[^\s"'\\]*/g;

/**
 * JSON lines to a file descriptor, without tokens and signatures. Written at once: the lines before a crash are the
 * ones wanted.
 */
export function createLogger(options: { readonly fd: number; readonly level: LogLevel }): Logger {
  const destination = pino.destination({ fd: options.fd, sync: true });
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    },
    { write: (line: string) => destination.write(line.replace(URL_QUERY, '$1?[redacted]')) },
  );
}
