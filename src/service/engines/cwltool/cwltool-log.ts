/**
 * Reads the log of cwltool while it runs, one line at a time: which tools run, and how they end. Its lines begin with a
 * time and a level; the tools themselves print all others.
 */
import type { EngineJob, EngineProgress } from '../task-engine.ts';

const OWN_LINE = /^\[[\d: -]+\] (DEBUG|INFO|WARNING|ERROR) (.*)$/s;
const JOB_LINE = /^\[job ([^\]]*)\] (.*)$/s;
const STEP_LINE = /^\[(?:step|workflow) ([^\]]*)\] (.*)$/s;
const COMMAND = /^\/\S*\$ (.*)$/s;
const JOBS_MAX = 1000;

export class CwltoolLog {
  readonly #jobs = new Map<string, EngineJob>();
  readonly #steps = new Set<string>();
  readonly #failures: string[] = [];
  /** The job whose command goes on in the next line. */
  #continued: string | undefined;

  get progress(): EngineProgress {
    const stepsCompleted = this.#steps.size;
    return { jobs: [...this.#jobs.values()], ...(stepsCompleted === 0 ? {} : { stepsCompleted }) };
  }

  /** Why it failed, in its own words; undefined when it has not said. */
  get failure(): string | undefined {
    return this.#failures[0];
  }

  /** @returns Whether that changed the progress. */
  read(line: string, nowMs: number): boolean {
    if (this.#continued !== undefined) return this.#readCommand(this.#continued, line);
    const [, level, said = ''] = OWN_LINE.exec(line) ?? [];
    if (level === undefined) return false;
    const [, job, aboutJob] = JOB_LINE.exec(said) ?? [];
    if (job !== undefined && aboutJob !== undefined) return this.#readJob(job, aboutJob, nowMs);
    const [, step, aboutStep] = STEP_LINE.exec(said) ?? [];
    if (step !== undefined) return this.#readStep(step, aboutStep ?? '');
    if (level === 'ERROR' && said !== '') this.#failures.push(said);
    return false;
  }

  #readStep(step: string, said: string): boolean {
    if (step === '' || said !== 'completed success') return false;
    this.#steps.add(step);
    return true;
  }

  #readJob(name: string, said: string, nowMs: number): boolean {
    const [, command] = COMMAND.exec(said) ?? [];
    if (command !== undefined) {
      if (this.#jobs.size >= JOBS_MAX) return false;
      this.#jobs.set(name, { name, status: 'RUNNING', startMs: nowMs });
      return this.#readCommand(name, command);
    }
    const [, exitStatus] = /^exited with status: (.*)$/.exec(said) ?? [];
    if (exitStatus !== undefined)
      this.#failures.unshift(`The tool ${name} ended with exit status ${exitStatus}.`);
    const [, outcome] = /^completed (\w+)$/.exec(said) ?? [];
    const job = this.#jobs.get(name);
    if (outcome === undefined || job === undefined) return false;
    this.#jobs.set(name, { ...job, status: outcome === 'success' ? 'COMPLETED' : 'FAILED', endMs: nowMs });
    return true;
  }

  /** A command of several lines has a backslash at the end of each but the last. */
  #readCommand(name: string, line: string): boolean {
    const goesOn = line.endsWith('\\');
    const job = this.#jobs.get(name);
    const words = (goesOn ? line.slice(0, -1) : line).trim();
    if (job !== undefined) {
      this.#jobs.set(name, { ...job, commandLine: job.commandLine ? `${job.commandLine} ${words}` : words });
    }
    this.#continued = goesOn ? name : undefined;
    return true;
  }
}
