import type { CoreSeconds } from '../measure/core-seconds.ts';
import type { Result } from './results.ts';

const COLUMNS: readonly (readonly [string, keyof CoreSeconds])[] = [
  ['all', 'all'],
  ['mount', 'mount'],
  ['reader, writer or curl', 'others'],
  ['nginx and service', 'servers'],
  ['proxy', 'proxies'],
  ['idle', 'idle'],
  ['stolen', 'stolen'],
  ['interrupts, in the others', 'interrupts'],
];

/** Where the time of the processors went, in Markdown; undefined where no row tells of it. */
export function coresTable(results: readonly Result[]): string | undefined {
  const lines = results.flatMap(({ row, line, peer, cores }) => {
    if (cores === undefined) return [];
    const cells = COLUMNS.map(([, column]) => cores[column].toFixed(2));
    return [`| ${[row, line, peer, ...cells].join(' | ')} |`];
  });
  if (lines.length === 0) return undefined;
  const head = `| row | line | who | ${COLUMNS.map(([name]) => name).join(' | ')} |`;
  return [head, `|---|---|---|${COLUMNS.map(() => '--:|').join('')}`, ...lines].join('\n');
}
