/**
 * Runs apps on a cluster that offers the GA4GH WES API. The inputs are addresses of this service, signed for each file;
 * the outputs are fetched from the addresses that the run names.
 *
 * A run goes on without this process: its id is kept as soon as it is known, and the worker that takes the task over
 * goes on with that run. Only an abort cancels it.
 */

import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/message-of.ts';
import {
  type EngineJob,
  type EngineResult,
  TaskAbortedError,
  type TaskEngine,
  TaskFailure,
  type TaskOrder,
} from '../task-engine.ts';
import { addressedInputs } from './addressed-inputs.ts';
import { type WesClient, type WesLog, WesRefusal, type WesRunLog, type WesState } from './wes-client.ts';

export interface WesEngineOptions {
  readonly client: WesClient;
  readonly clock: Clock;
  readonly slots: number;
  /** Where the cluster reaches this service; without a slash at its end. */
  readonly publicUrl: string;
}

const POLL_MS = { first: 1000, longest: 30_000, factor: 1.5 };
/** For how long nobody need answer before a run is given up. */
const PATIENCE_MS = 30 * 60_000;
/** How long a cancelled run may take to end. */
const CANCEL_MS = 60_000;

const ENDS: readonly WesState[] = ['COMPLETE', 'EXECUTOR_ERROR', 'SYSTEM_ERROR', 'CANCELED', 'PREEMPTED'];

export class WesEngine implements TaskEngine {
  readonly slots: number;
  readonly #options: WesEngineOptions;

  constructor(options: WesEngineOptions) {
    this.slots = options.slots;
    this.#options = options;
  }

  async run(order: TaskOrder): Promise<EngineResult> {
    const runId = order.kept ?? (await this.#submit(order));
    order.log.write(`run ${runId}\n`);
    const state = await this.#follow(runId, order);
    const run = await this.#patiently(order.signal, () => this.#options.client.runLog(runId, order.signal));
    order.progress({ jobs: (run.task_logs ?? []).map((log, at) => jobOf(log, `task ${at + 1}`)) });
    await this.#copyLog(runId, run, order);
    if (state !== 'COMPLETE') throw new TaskFailure(failureOf(state, run));
    return {
      outputs: outputsOf(run),
      warnings: [],
      open: (location) => this.#open(runId, location, order.signal),
    };
  }

  async #submit(order: TaskOrder): Promise<string> {
    const { client, publicUrl } = this.#options;
    const submission = {
      document: order.document,
      parameters: addressedInputs(order.inputs, publicUrl),
      tags: { task: order.taskId, name: order.name },
    };
    const runId = await this.#patiently(order.signal, () => client.submit(submission, order.signal));
    await order.keep(runId);
    return runId;
  }

  /** Waits for the end of the run. */
  async #follow(runId: string, { signal }: TaskOrder): Promise<WesState> {
    const { client, clock } = this.#options;
    try {
      for (let pause = POLL_MS.first; ; pause = Math.min(pause * POLL_MS.factor, POLL_MS.longest)) {
        const state = await this.#patiently(signal, () => client.state(runId, signal));
        if (ENDS.includes(state)) return state;
        await clock.sleep(pause, signal);
      }
    } catch (error) {
      if (signal.reason instanceof TaskAbortedError) await this.#cancel(runId);
      throw error;
    }
  }

  /** Ends the run for good, as far as its service lets us. */
  async #cancel(runId: string): Promise<void> {
    const { client, clock } = this.#options;
    const deadline = AbortSignal.timeout(CANCEL_MS);
    try {
      await this.#patiently(deadline, () => client.cancel(runId));
      while (!ENDS.includes(await client.state(runId, deadline))) await clock.sleep(POLL_MS.first, deadline);
    } catch (error) {
      if (!deadline.aborted && !(error instanceof WesRefusal) && !(error instanceof TaskFailure)) throw error;
    }
  }

  /** Asks again while the service does not answer. @throws TaskFailure when it says no, or for too long nothing */
  async #patiently<Answer>(signal: AbortSignal, ask: () => Promise<Answer>): Promise<Answer> {
    const { clock } = this.#options;
    const deadline = clock.monotonic() + PATIENCE_MS;
    for (let pause = POLL_MS.first; ; pause = Math.min(pause * POLL_MS.factor, POLL_MS.longest)) {
      try {
        return await ask();
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof WesRefusal && error.status < 500 && error.status !== 429) {
          throw new TaskFailure(`The workflow service refused: ${error.message}`, { cause: error });
        }
        if (clock.monotonic() > deadline)
          throw new TaskFailure('The workflow service does not answer.', { cause: error });
        await clock.sleep(pause, signal);
      }
    }
  }

  async #open(runId: string, location: string, signal: AbortSignal): Promise<Readable> {
    const answer = await this.#patiently(signal, () => this.#options.client.open(runId, location));
    if (answer === undefined) {
      throw new TaskFailure(
        `The output ${location} cannot be fetched: it is no address of the workflow service.`,
      );
    }
    return answer.body === null ? Readable.from([]) : Readable.fromWeb(answer.body as ReadableStream);
  }

  async #copyLog(runId: string, { run_log }: WesRunLog, { log }: TaskOrder): Promise<void> {
    const { stderr } = run_log ?? {};
    if (!stderr) return;
    if (/\s/.test(stderr)) return log.write(stderr);
    try {
      const answer = await this.#options.client.open(runId, stderr);
      for await (const chunk of answer?.body ?? []) log.write(chunk);
    } catch (error) {
      log.write(`The log cannot be fetched: ${messageOf(error)}\n`);
    }
  }
}

function outputsOf({ outputs }: WesRunLog): Record<string, unknown> {
  if (typeof outputs === 'object' && outputs !== null && !Array.isArray(outputs)) return { ...outputs };
  throw new TaskFailure('The workflow service gave no outputs.');
}

function failureOf(state: WesState, { run_log, task_logs }: WesRunLog): string {
  const failed = (task_logs ?? []).find(({ exit_code }) => exit_code !== undefined && exit_code !== 0);
  if (failed !== undefined) {
    return `The tool ${failed.name ?? 'of a task'} ended with exit status ${failed.exit_code}.`;
  }
  const status = run_log?.exit_code === undefined ? '' : `, exit status ${run_log.exit_code}`;
  return `The run ended in state ${state}${status}.`;
}

function jobOf({ name, cmd, start_time, end_time, exit_code }: WesLog, standard: string): EngineJob {
  const endMs = Date.parse(end_time ?? '');
  const startMs = Date.parse(start_time ?? '');
  return {
    name: name ?? standard,
    status: Number.isNaN(endMs)
      ? 'RUNNING'
      : exit_code === 0 || exit_code === undefined
        ? 'COMPLETED'
        : 'FAILED',
    startMs: Number.isNaN(startMs) ? 0 : startMs,
    ...(Number.isNaN(endMs) ? {} : { endMs }),
    ...(cmd === undefined ? {} : { commandLine: cmd.join(' ') }),
  };
}
