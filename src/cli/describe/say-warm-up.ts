import { describeSize } from '../../lib/describe-size.ts';
import type { WarmUpProgress } from '../mount/warm-up.ts';

/** Between two lines that nobody watches. */
const LINE_EVERY_MS = 5000;
const ERASE_LINE = '\r\x1b[K';

type Say = (progress: WarmUpProgress | undefined) => void;

/**
 * Says how far a warm-up is: on a terminal in one line that changes, elsewhere in a line now and then. `undefined` ends it.
 * Says nothing without a stream.
 */
export function sayWarmUp(stream: NodeJS.WriteStream | undefined): Say {
  if (stream === undefined) return () => undefined;
  return stream.isTTY ? onTerminal(stream) : inLines(stream);
}

function onTerminal(stream: NodeJS.WriteStream): Say {
  const startedMs = performance.now();
  return (progress) =>
    void stream.write(progress ? `${ERASE_LINE}${describe(progress, startedMs)}` : ERASE_LINE);
}

function inLines(stream: NodeJS.WriteStream): Say {
  const startedMs = performance.now();
  let saidMs = startedMs;
  return (progress) => {
    if (progress === undefined || performance.now() - saidMs < LINE_EVERY_MS) return;
    saidMs = performance.now();
    stream.write(`${describe(progress, startedMs)}\n`);
  };
}

function describe(progress: WarmUpProgress, startedMs: number): string {
  const { doneFiles, foundFiles, doneBytes, foundBytes, fetchedBytes } = progress;
  const seconds = Math.max(0.001, (performance.now() - startedMs) / 1000);
  return [
    `${doneFiles} of ${foundFiles} files`,
    `${describeSize(doneBytes)} of ${describeSize(foundBytes)}`,
    `${describeSize(Math.round(fetchedBytes / seconds))}/s`,
  ].join(', ');
}
