import type { CoreSeconds } from '../measure/core-seconds.ts';
import { median } from '../measure/median.ts';
import type { Row, Sample, Unit } from '../stage.ts';

/** One contestant in one row at one latency. */
export interface Result {
  readonly row: string;
  readonly unit: Unit;
  readonly line: string;
  readonly peer: string;
  readonly median: number;
  /** One per run. */
  readonly values: readonly number[];
  readonly cpuSeconds?: number;
  readonly cpuSecondsPerGib?: number;
  readonly peakRssMib?: number;
  readonly apiRequests?: number;
  readonly dataRequests?: number;
  readonly sentBytes?: number;
  readonly refusals?: number;
  readonly floorSeconds?: number;
  readonly cores?: CoreSeconds;
}

export interface Failure {
  readonly family: string;
  readonly line: string;
  readonly peer: string;
  readonly reason: string;
}

interface Entry {
  readonly row: Row;
  readonly line: string;
  readonly peer: string;
  readonly samples: Sample[];
}

const GIB = 1024 ** 3;

/** Gathers samples, and answers medians; of peaks, the highest. */
export class Results {
  readonly #entries = new Map<string, Entry>();
  readonly failures: Failure[] = [];

  add(row: Row, line: string, peer: string, sample: Sample): void {
    const key = keyOf(row.name, line, peer);
    const entry = this.#entries.get(key) ?? { row, line, peer, samples: [] };
    entry.samples.push(sample);
    this.#entries.set(key, entry);
  }

  /** Earlier samples of a contestant that failed count for nothing. */
  fail(failure: Failure, rows: readonly Row[]): void {
    this.failures.push(failure);
    for (const { name } of rows) this.#entries.delete(keyOf(name, failure.line, failure.peer));
  }

  all(): readonly Result[] {
    return [...this.#entries.values()].map(resultOf);
  }
}

function keyOf(row: string, line: string, peer: string): string {
  return `${row}\0${line}\0${peer}`;
}

function resultOf({ row, line, peer, samples }: Entry): Result {
  const values = samples.map(({ value }) => value);
  const central = median(values);
  const distance = ({ value }: Sample): number => Math.abs(value - central);
  const middle = (of: (sample: Sample) => number | undefined): number | undefined => {
    const known = samples.map(of).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : median(known);
  };
  const extras = {
    cpuSeconds: middle((sample) => sample.cpuSeconds),
    cpuSecondsPerGib: middle(cpuPerGib),
    peakRssMib: highest(samples.flatMap(({ peakRssMib }) => peakRssMib ?? [])),
    apiRequests: middle((sample) => sample.apiRequests),
    dataRequests: middle((sample) => sample.dataRequests),
    sentBytes: middle((sample) => sample.sentBytes),
    refusals: middle((sample) => sample.refusals),
    floorSeconds: middle((sample) => sample.floorSeconds),
    // Of one trial, for their sum.
    cores: samples.toSorted((a, b) => distance(a) - distance(b))[0]?.cores,
  };
  const known = Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined));
  return { row: row.name, unit: row.unit, line, peer, median: central, values, ...known };
}

function highest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.max(...values);
}

function cpuPerGib({ cpuSeconds, movedBytes }: Sample): number | undefined {
  return cpuSeconds === undefined || !movedBytes ? undefined : (cpuSeconds * GIB) / movedBytes;
}
