import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Option } from '../../config/option.ts';
import { SECRET_KEY_VARIABLE } from '../../config/secret-key.ts';
import { SERVE_OPTIONS } from '../../config/serve-options.ts';
import { identify, type ProcessIdentity } from '../../lib/process-identity.ts';
import { isCwltoolInstalled } from '../../service/engines/cwltool/is-cwltool-installed.ts';
import { canSandbox } from '../../service/engines/cwltool/sandbox.ts';
import { CliError } from '../exit-codes.ts';
import { MAIN } from '../programs.ts';
import { spawnLogged } from '../spawn-logged.ts';

export interface DemoService {
  readonly url: string;
  readonly port: number;
  readonly identity: ProcessIdentity | undefined;
  /** This machine has what runs them. */
  readonly runsTasks: boolean;
  readonly ended: Promise<void>;
  /** Lets this process end without it. */
  release(): void;
}

export interface DemoServiceOptions {
  readonly data: string;
  readonly log: string;
  /** The port of the last run, if it is still free. */
  readonly preferredPort: number | undefined;
  /** Told which process it is before it listens. */
  readonly onProcess: (identity: ProcessIdentity | undefined) => Promise<void>;
  /** Ends the start, which making the content can draw out. */
  readonly signal: AbortSignal;
}

/** Runs `svcfs serve` with demo content in a process of its own; answers when it listens. */
export async function startDemoService(options: DemoServiceOptions): Promise<DemoService> {
  const { preferredPort } = options;
  if (preferredPort !== undefined) {
    try {
      return await serveOn(preferredPort, options);
    } catch (error) {
      if (!(error instanceof CliError) || options.signal.aborted) throw error;
    }
  }
  return serveOn(0, options);
}

async function serveOn(
  port: number,
  { data, log, onProcess, signal }: DemoServiceOptions,
): Promise<DemoService> {
  const logStart = await sizeOf(log);
  const runsTasks = (await isCwltoolInstalled()) && (await canSandbox());
  const own = ['--demo', '--rate-limit', 'off', '--executor', runsTasks ? 'cwltool' : 'none'];
  const child = await spawnLogged({
    name: 'the service',
    args: [MAIN, 'serve', '--data', data, '--listen', `127.0.0.1:${port}`, ...own],
    log,
    stdio: (logFile) => ['ignore', 'pipe', logFile],
    env: demoEnvironment(),
  });
  const ended = once(child, 'exit').then(() => undefined);
  const { stdout } = child;
  assert(stdout !== null);
  const interrupt = (): boolean => child.kill();
  signal.addEventListener('abort', interrupt);
  const identity = await identify(child.pid ?? 0);
  try {
    await onProcess(identity);
  } catch (error) {
    child.kill();
    await ended;
    throw error;
  }
  const url = await listeningAt(stdout);
  signal.removeEventListener('abort', interrupt);
  if (url === undefined) {
    await ended;
    throw new CliError(
      'serviceFailed',
      (await lastComplaint(log, logStart)) ?? `the service ended; its log is ${log}`,
    );
  }
  return {
    url,
    port: Number(new URL(url).port),
    identity,
    runsTasks,
    ended,
    release: () => {
      stdout.destroy();
      child.unref();
    },
  };
}

/** Without what says of a service that is run for real where it keeps its data, in which role, with which keys. */
function demoEnvironment(): NodeJS.ProcessEnv {
  const options: readonly Option<unknown>[] = Object.values(SERVE_OPTIONS);
  const names = new Set([SECRET_KEY_VARIABLE, ...options.map(({ environment }) => environment)]);
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.has(name)));
}

/** From the line that `svcfs serve` prints; undefined when it ended without. */
async function listeningAt(stdout: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** Of what is not there yet it is 0. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** The last message for people in the log that the process has written since. */
async function lastComplaint(log: string, start: number): Promise<string | undefined> {
  const written = (await readFile(log)).subarray(start).toString('utf8');
  return /^svcfs: (.*)$/m.exec(written)?.[1];
}
