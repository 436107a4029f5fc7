import { mustRun } from '../../support/run.ts';
import { nativeProgram } from './native-program.ts';

/** The output of native/load.cc. */
export interface LoadResult {
  readonly seconds: number;
  readonly operations: number;
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const LONGEST_MS = 30 * 60_000;

export async function load(...args: readonly (string | number)[]): Promise<LoadResult> {
  const line = await mustRun(nativeProgram('load'), args.map(String), { timeoutMs: LONGEST_MS });
  return JSON.parse(line) as LoadResult;
}

/** As `load`, bound to one processor. */
export async function loadOn(processor: number, ...args: readonly (string | number)[]): Promise<LoadResult> {
  const command = ['-c', String(processor), nativeProgram('load'), ...args.map(String)];
  return JSON.parse(await mustRun('taskset', command, { timeoutMs: LONGEST_MS })) as LoadResult;
}

/** Runs a command to its end, and answers how long that took. Its output goes nowhere. */
export async function secondsOf(command: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  await mustRun(command, args, { timeoutMs: LONGEST_MS, discardOutput: true });
  return (performance.now() - start) / 1000;
}
