import type { Unit } from '../stage.ts';
import type { Result } from './results.ts';

const COLUMNS: readonly (readonly [string, (result: Result) => string])[] = [
  ['row', ({ row }) => row],
  ['line', ({ line }) => line],
  ['who', ({ peer }) => peer],
  ['median', ({ median, unit }) => `${short(median)} ${unit}`],
  ['runs', ({ values }) => values.map(short).join(' ')],
  ['CPU s', ({ cpuSeconds }) => optional(cpuSeconds)],
  ['CPU s/GiB', ({ cpuSecondsPerGib }) => optional(cpuSecondsPerGib)],
  ['peak RSS MiB', ({ peakRssMib }) => optional(peakRssMib)],
  ['API requests', ({ apiRequests }) => optional(apiRequests)],
  ['other requests', ({ dataRequests }) => optional(dataRequests)],
  [
    'MiB from server',
    ({ sentBytes }) => optional(sentBytes === undefined ? undefined : sentBytes / 1024 ** 2),
  ],
  ['429 answers', ({ refusals }) => optional(refusals)],
  ['floor s', ({ floorSeconds }) => optional(floorSeconds)],
];

/** A table in Markdown; within a row and line, the best comes first. */
export function tableOf(results: readonly Result[]): string {
  const order = [...new Set(results.map(({ row, line }) => `${row}\0${line}`))];
  const place = ({ row, line }: Result): number => order.indexOf(`${row}\0${line}`);
  const sorted = results.toSorted((a, b) => place(a) - place(b) || goodness(b) - goodness(a));
  const lines = sorted.map((result) => `| ${COLUMNS.map(([, cell]) => cell(result)).join(' | ')} |`);
  const head = `| ${COLUMNS.map(([name]) => name).join(' | ')} |`;
  const rule = `|${COLUMNS.map((_, index) => (index < 3 ? '---|' : '--:|')).join('')}`;
  return [head, rule, ...lines].join('\n');
}

function goodness({ median, unit }: Result): number {
  return isRate(unit) ? median : -median;
}

export function isRate(unit: Unit): boolean {
  return unit.endsWith('/s');
}

/** Three digits. */
export function short(value: number): string {
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toPrecision(value === 0 ? 1 : 3);
}

function optional(value: number | undefined): string {
  return value === undefined ? '' : short(value);
}
