import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { identify, type ProcessIdentity } from '../../lib/process-identity.ts';
import { isCwltoolInstalled } from '../../service/executors/cwltool/is-cwltool-installed.ts';
import { canSandbox } from '../../service/executors/cwltool/sandbox.ts';
import { CliError } from '../exit-codes.ts';

export interface DemoService {
  readonly url: string;
  readonly port: number;
  readonly identity: ProcessIdentity | undefined;
  readonly ended: Promise<void>;
  /** Lets this process end without it. */
  release(): void;
}

export interface DemoServiceOptions {
  readonly data: string;
  readonly log: string;
  /** The port of the last run, if it is still free. */
  readonly preferredPort: number | undefined;
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

async function serveOn(port: number, { data, log, signal }: DemoServiceOptions): Promise<DemoService> {
  const logFile = await open(log, 'a', 0o600);
  const logStart = (await logFile.stat()).size;
  const main = fileURLToPath(new URL('../main.js', import.meta.url));
  const executor = (await isCwltoolInstalled()) && (await canSandbox()) ? 'cwltool' : 'none';
  const own = ['--demo', '--rate-limit', 'off', '--executor', executor];
  const args = ['serve', '--data', data, '--listen', `127.0.0.1:${port}`, ...own];
  const child = spawn(process.execPath, [main, ...args], {
    detached: true,
    cwd: '/',
    stdio: ['ignore', 'pipe', logFile.fd],
  });
  await logFile.close();
  const ended = once(child, 'exit').then(() => undefined);
  const { stdout } = child;
  assert(stdout !== null);
  const interrupt = (): boolean => child.kill();
  signal.addEventListener('abort', interrupt);
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
    identity: await identify(child.pid ?? 0),
    ended,
    release: () => {
      stdout.destroy();
      child.unref();
    },
  };
}

/** From the line that `svcfs serve` prints; undefined when it ended without. */
async function listeningAt(stdout: Readable): Promise<string | undefined> {
  for await (const line of createInterface({ input: stdout })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  return undefined;
}

/** What the process told a person, of what it has written since. */
async function lastComplaint(log: string, start: number): Promise<string | undefined> {
  const written = (await readFile(log)).subarray(start).toString('utf8');
  return /^svcfs: (.*)$/m.exec(written)?.[1];
}
