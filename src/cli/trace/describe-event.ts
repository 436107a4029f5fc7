import { styleText } from 'node:util';
import { printable } from '../../lib/printable.ts';
import type { TraceEvent } from '../mount/trace/trace-event.ts';

const CLOCK_END = 12;

/** One line for a person, as strace(1) has them: `14:02:11.052 cp[812] read /projects/a/b 4096@0 = 4096 <1.2 ms, 1 request>`. */
export function describeEvent(event: TraceEvent, stream: NodeJS.WriteStream): string {
  const { atMs, operation, path, target, detail } = event;
  const what = [
    operation,
    path,
    ...(target === null ? [] : ['->', target]),
    ...(detail === null ? [] : [detail]),
  ].join(' ');
  const time = new Date(atMs).toTimeString().slice(0, CLOCK_END - 4);
  const millis = String(Math.floor(atMs) % 1000).padStart(3, '0');
  return `${time}.${millis} ${printable(`${programOf(event)} ${what}`)} = ${resultOf(event, stream)} <${costOf(event)}>`;
}

function programOf({ process, program }: TraceEvent): string {
  if (process === 0) return 'kernel';
  return `${program ?? '?'}[${process}]`;
}

function resultOf({ errno, reason, result }: TraceEvent, stream: NodeJS.WriteStream): string {
  if (errno === null) return String(result ?? 0);
  const told = styleText('red', errno, { stream });
  return reason === null ? told : `${told} (${printable(reason)})`;
}

function costOf({ ms, requests }: TraceEvent): string {
  const took = ms < 10 ? `${ms.toFixed(2)} ms` : `${Math.round(ms)} ms`;
  if (requests === 0) return took;
  return `${took}, ${requests === 1 ? '1 request' : `${requests} requests`}`;
}
