import type { ServeOptions } from '../config/serve-options.ts';
import { errorCode } from '../lib/error-code.ts';
import { createLogger } from '../observe/logger.ts';
import { DemoError, fillWithDemo } from '../service/demo/fill-with-demo.ts';
import { MissingProgramError } from '../service/demo/program.ts';
import { type RunningService, startService } from '../service/start-service.ts';
import { CliError } from './exit-codes.ts';

const STDERR = 2;

type Options = ServeOptions & { readonly data: string };

/** The service on a data directory, in this process. Rejects with one line that says why it cannot be. */
export async function composeService(options: Options): Promise<RunningService> {
  const service = await start(options);
  try {
    if (options.demo) {
      await fillWithDemo(service.services, { dataDir: options.data, log: (line) => console.error(line) });
    }
    return service;
  } catch (error) {
    await service.close();
    if (!(error instanceof DemoError || error instanceof MissingProgramError)) throw error;
    throw new CliError('serviceFailed', error.message, { cause: error });
  }
}

async function start(options: Options): Promise<RunningService> {
  const { data, listen, rateLimit } = options;
  const logger = createLogger({ fd: STDERR, level: 'warn' });
  try {
    return await startService({
      dataDir: data,
      ...listen,
      rateLimit:
        rateLimit === undefined ? 'off' : { requests: rateLimit.requests, seconds: rateLimit.windowSeconds },
      logger,
      workers: true,
      internalStats: options.internalStats,
    });
  } catch (error) {
    throw new CliError('serviceFailed', reasonOf(error, options), { cause: error });
  }
}

function reasonOf(error: unknown, { data, listen }: Options): string {
  const message = error instanceof Error ? error.message : String(error);
  switch (errorCode(error)) {
    case 'EADDRINUSE':
      return `${listen.host}:${listen.port} is in use; give another with --listen, or port 0`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${listen.host} is no address of this machine`;
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
      return `cannot use ${data}, or listen on ${listen.host}:${listen.port}: ${message}`;
    default:
      return `the service cannot start on ${data}: ${message}`;
  }
}
