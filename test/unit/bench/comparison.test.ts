import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = (name: string): string => readFileSync(new URL(`../../bench/${name}`, import.meta.url), 'utf8');
const cellsOf = (line: string): readonly string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

it('COMPARISON.md quotes RESULTS.md, of the last whole run', () => {
  const [head = [], , ...rows] = page('COMPARISON.md')
    .split('\n')
    .filter((line) => line.startsWith('|') && line.split('|').length === 7)
    .map(cellsOf);
  const peers = head.slice(1);
  expect(peers).toContain('svcfs');
  const quoted = rows.flatMap(([row, ...figures]) =>
    figures.map((figure, index) => `| ${row} | 20 ms | ${peers[index]} | ${figure} |`),
  );
  expect(quoted.length).toBeGreaterThan(40);
  const results = page('RESULTS.md');
  expect(quoted.filter((line) => !results.includes(line))).toEqual([]);
});
