import { pino } from 'pino';
import { LogFile, type LogPlace } from './log-file.ts';
import { textOfLine } from './log-text.ts';
import { redacted } from './redact.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type LogFormat = 'json' | 'text';

/** Structured fields of a line. Keys used everywhere: op, path, errno, reason, requestId, ms, err. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger of the subsystems: a line is its fields and a short constant text. */
export interface Logger {
  error(fields: LogFields, text: string): void;
  warn(fields: LogFields, text: string): void;
  info(fields: LogFields, text: string): void;
  debug(fields: LogFields, text: string): void;
}

/** What can be changed while it is written. */
export interface LogControl {
  /** One of `LOG_LEVELS`. */
  level: string;
  rotate(): void;
}

export interface LogOptions extends LogPlace {
  readonly level: LogLevel;
  /** Default json. */
  readonly format?: LogFormat | undefined;
}

/** Lines to a file descriptor, without tokens and signatures. No work fails for want of a line about it. */
export function createLogger(options: LogOptions): Logger {
  return openLog(options).log;
}

export function openLog({ level, format = 'json', ...place }: LogOptions): {
  readonly log: Logger;
  readonly control: LogControl;
} {
  const file = new LogFile(place);
  const formed = format === 'json' ? redacted : (line: string) => `${textOfLine(redacted(line).trimEnd())}\n`;
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => file.write(formed(line)) },
  );
  const control: LogControl = {
    get level() {
      return log.level;
    },
    set level(next) {
      log.level = next;
    },
    rotate: () => file.rotate(),
  };
  return { log, control };
}

export interface HasLogger {
  readonly logger: Logger;
}
