import { pino } from 'pino';
import { redacted } from './redact.ts';

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Structured fields of a line. Keys used everywhere: op, path, errno, reason, requestId, ms, err. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger of the subsystems: a line is its fields and a short constant text. */
export interface Logger {
  error(fields: LogFields, text: string): void;
  warn(fields: LogFields, text: string): void;
  info(fields: LogFields, text: string): void;
  debug(fields: LogFields, text: string): void;
}

/** Of lines that the disk has no room for now. */
const MOST_WAITING_BYTES = 1024 * 1024;

/**
 * JSON lines to a file descriptor, without tokens and signatures. Written at once: the lines before a crash are the
 * ones wanted. No work fails for want of a line about it: what cannot be written is with a later line, as far as it is
 * not too much.
 */
export function createLogger(options: { readonly fd: number; readonly level: LogLevel }): Logger {
  const destination = pino.destination({ fd: options.fd, sync: true, maxLength: MOST_WAITING_BYTES });
  destination.on('error', () => undefined);
  return pino(
    {
      level: options.level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => destination.write(redacted(line)) },
  );
}

export interface HasLogger {
  readonly logger: Logger;
}
